// Tools of your own. toolnexus gives the function its exports, so this file needs no install:
//
//   npx toolnexus run --base-url URL --model NAME --tools examples/tools.mjs "deploy the api"
//
// with a model of yours (the demo model calls question and bash only). Installed from npm, this file is
// node_modules/toolnexus/examples/tools.mjs: copy it.
//
// deploy asks which environment; without a person the run halts into a file, and
//
//   npx toolnexus resume FILE --answer staging
//
// goes on with it, here or on another machine.
//
// The module runs in a process of its own, in the run's folder, with the whole environment and without a terminal. What it
// prints is said on stderr; a tool that ends the process leaves its call in doubt, and a resume asks what to do about it.

/** @param {typeof import("toolnexus")} toolnexus */
export default ({ defineTool, pending }) => [
  defineTool({
    name: "deploy",
    description: "Deploys a service. Asks a person for the environment.",
    inputSchema: {
      type: "object",
      properties: { service: { type: "string", description: "which service" } },
      required: ["service"],
      additionalProperties: false,
    },
    run({ service }, { answer }) {
      // The first time there is no answer: ask. The call is run again with what the person says.
      if (!answer) {
        return pending({
          kind: "question",
          prompt: `Where shall ${service} be deployed?`,
          data: {
            questions: [
              {
                question: `Where shall ${service} be deployed?`,
                options: [{ label: "staging", description: "safe to try" }, { label: "production" }],
              },
            ],
          },
        })
      }
      return `${service} is deployed to ${answer.data.output}`
    },
  }),

  defineTool({
    name: "service_status",
    description: "Says how a service is doing.",
    inputSchema: {
      type: "object",
      properties: { service: { type: "string" } },
      required: ["service"],
      additionalProperties: false,
    },
    // It changes nothing: after a crash it simply runs again instead of asking a person whether it may.
    annotations: { readOnly: true },
    run: ({ service }) => ({ service, status: "healthy", checkedAt: new Date().toISOString() }),
  }),
]
