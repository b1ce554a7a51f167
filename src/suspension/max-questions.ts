/** The most questions that one call may ask; the next is not put to anybody. */
export const MAX_QUESTIONS = 8
