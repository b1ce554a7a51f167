export const CONFIG_HELP = `
Examples:
  $ toolnexus config
      every setting in force, its value and where it comes from
  $ toolnexus config get limits.maxTurns
  $ toolnexus config set profiles.work '{"baseUrl":"https://api.openai.com/v1","model":"gpt-5","apiKeyEnv":"OPENAI_API_KEY"}'
  $ toolnexus config set profile work
  $ toolnexus config set permissions.deny '["bash(git push*)"]' --project
  $ toolnexus config unset limits.timeout
  $ toolnexus config edit
  $ toolnexus config path --user

Settings: profile, profiles.NAME.{baseUrl,model,style,apiKeyEnv,auth,headers}, agents.NAME.{system,model,
tools}, permissions.{allow,ask,deny,remember}, limits.{maxTurns,maxTokens,maxToolCalls,maxRepeats,
timeout}, mcpServers.NAME, tools, relay, skills, privateHosts, masks.NAME. A NAME with dots is quoted:
'profiles."gpt-4.1".model'. Paths in a file are relative to its folder.
`

export const CONFIG_SET_HELP = `
Examples:
  $ toolnexus config set limits.maxTurns 50
  $ toolnexus config set limits.timeout 20m
  $ toolnexus config set permissions.allow '["bash(git status*)","bash(git diff*)"]'
      all of the list: what it held before is replaced
  $ toolnexus config set profiles.work.apiKeyEnv WORK_API_KEY
      the name of the variable; the key itself is in no file
  $ toolnexus config set mcpServers.files '{"command":"npx","args":["-y","@modelcontextprotocol/server-filesystem","."]}'
  $ toolnexus config set limits.maxTurns 20 --project

Two at once lose nothing. What --project changes is not trusted any more until somebody looks at it
(toolnexus trust): until then only its ask and deny rules and lower limits count.
`
