export { type JournalSuiteOptions, journalSuite, type LineJournal, type SuiteAssert } from "./journal-suite.ts"
export { type ManualClock, manualClock } from "./manual-clock.ts"
export { type ScriptedModel, type ScriptedTurn, scriptedModel } from "./scripted-model.ts"
export { type Reaction, type ScriptedPerson, scriptedPerson } from "./scripted-person.ts"
