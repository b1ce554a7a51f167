export const PROGRAM_HELP = `
Examples:
  $ toolnexus run --model demo
      takes you through it offline: a question, an approval, a report
  $ toolnexus run --base-url https://api.openai.com/v1 --model gpt-5 "tidy up the changelog"
      runs an agent; what needs a person is asked at the terminal
  $ toolnexus resume FILE
      goes on with a saved run; the last line of a halted run is this command
  $ toolnexus resume FILE --answer staging --output json
      the same without a terminal, for instance in CI
  $ toolnexus doctor
      says whether a run could start here, and what to do where not

Options work before and after the command. "toolnexus COMMAND --help" says more.

Exit codes:
  0  done                          4  a limit was reached: resume with a higher one
  1  the endpoint or a tool failed 5  refused: answer does not fit, file is in use or no run
  2  usage or configuration        130, 143, 129  stopped by SIGINT, SIGTERM, SIGHUP: saved
  3  halted: waiting for a person
`

export const RUN_HELP = `
The endpoint comes from the options, else from the environment (TOOLNEXUS_BASE_URL, TOOLNEXUS_STYLE,
TOOLNEXUS_MODEL, TOOLNEXUS_API_KEY), else from a profile of your configuration. OPENAI_API_KEY,
ANTHROPIC_API_KEY and OPENROUTER_API_KEY are sent to their provider's own host only.

Examples:
  $ toolnexus run --model demo
  $ toolnexus run --base-url http://localhost:11434/v1 --model llama3 "what does this folder hold?"
  $ toolnexus run --tools ./tools.mjs --deny 'bash(rm*)' "deploy the service"
  $ git diff | toolnexus run - > review.txt
      the prompt from stdin, the result to a file, questions still at the terminal
  $ toolnexus run --file deploy.run.jsonl --output json "deploy" < /dev/null
      without a person: exit 3 and a file that anyone can answer
`

export const RESUME_HELP = `
Examples:
  $ toolnexus resume deploy.run.jsonl
      asks what is open at the terminal
  $ toolnexus resume deploy.run.jsonl --answer staging
      answers the one open request
  $ toolnexus resume deploy.run.jsonl --answer req_1=staging --answer req_2=yes
      answers by id; a text with = in it needs the id too: --answer req_1=a=b
  $ toolnexus resume deploy.run.jsonl --approve --note "but keep the old one"
  $ TOKEN=... toolnexus resume deploy.run.jsonl --answer-env req_3=TOKEN
      a secret, which must not stand on a command line
  $ toolnexus resume deploy.run.jsonl --max-turns 50
      goes on after a limit

A file from another machine decides nothing here: name the endpoint and the tools yourself. Answers
that such a file holds count with --accept-recorded, or after a person saw the question. FILE may
also be plain JSON, as JSON.stringify writes a halted result: the run then goes on in
NAME.run.jsonl beside it.
`

export const ANSWER_HELP = `
Examples:
  $ toolnexus answer deploy.run.jsonl
      asks at the terminal
  $ toolnexus answer deploy.run.jsonl --answer req_1=staging
  $ toolnexus answer deploy.run.jsonl --decline --note "not on a Friday"
  $ toolnexus resume deploy.run.jsonl
      then goes on with it, here or where the run was made

A secret is not recorded in a file: give it to "resume".
`

export const RUNS_HELP = `
Examples:
  $ toolnexus runs
  $ toolnexus runs list --output json
  $ toolnexus runs show deploy.run.jsonl
  $ toolnexus runs prune
  $ toolnexus runs verify deploy.run.jsonl
  $ toolnexus runs unlock deploy.run.jsonl
      only where a process of another machine held it and is gone
`

export const PRUNE_HELP = `
Examples:
  $ toolnexus runs prune
      shows the runs that are done and older than 30 days, and asks
  $ toolnexus runs prune --dry-run --all --older-than 90d
  $ toolnexus runs prune --status done,interrupted --yes
      for a script
  $ toolnexus runs prune 3f2a19c4

Never deleted: a run that a process has open, here or elsewhere; one that was written to after it was
shown; one that cannot be read; a file that --file named; what another user owns, and links. What is
remembered of a run whose file is gone goes too, when it is as old. Without a terminal and without
--yes nothing is deleted: exit 3. A no is exit 5.
`

export const TRUST_HELP = `
Examples:
  $ toolnexus trust
      shows what .toolnexus/config.json and .mcp.json would let, and asks
  $ toolnexus trust --list
  $ toolnexus trust --revoke
  $ toolnexus run --trust-project "..." < /dev/null
      lets it count for one run, where nobody can be asked

Trust is kept in the state folder, for this folder and what its files hold now: the configuration, and
the modules, relay files, skills and scripts of servers that it names, wherever these lie. After any
change it is asked for again. Not looked at: a program that is found by its name alone or is a binary
outside of this folder, and what a program reads or loads besides while it runs.
`

export const TOOLS_HELP = `
Examples:
  $ toolnexus tools
      every tool, where it comes from, and what the rules say: allow, ask, deny, or it depends on the call
  $ toolnexus tools --tools ./tools.mjs --mcp .mcp.json --verbose
  $ toolnexus tools call read --args '{"path":"README.md"}'
      asks at the terminal what the rules ask; without one it is not run: exit 3
`

export const POLICY_HELP = `
Examples:
  $ toolnexus policy test bash "git status; rm -rf build"
  $ toolnexus policy test edit src/main.ts --allow "edit(src/**)"
  $ toolnexus policy test mcp:files/delete '{"path":"x"}' --output json
`
