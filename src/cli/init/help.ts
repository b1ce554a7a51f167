export const INIT_HELP = `
Examples:
  $ toolnexus init
      a few questions; nothing is written before the last one is answered
  $ toolnexus init --yes
      in a repository: git status, git diff and git log run without asking, once the project is trusted
  $ toolnexus init --yes --deny 'bash(git push*)' --max-turns 50 --timeout 20m
  $ toolnexus init --example-tools

What a project's configuration lets counts once somebody has looked at it: at a terminal the last question
shows everything and can be answered with trust, --yes leaves it to "toolnexus trust". An existing
.toolnexus/config.json stays as it is: exit 2. Without a terminal and without --yes nothing is written:
exit 3. A no, or Ctrl-C, is exit 5.
`
