/**
 * By which words a program does more than its name says. `text`: it is given a text, or a file of such, that a shell or an interpreter
 * runs. `further`: it runs the words that follow, or a program that only looks writes or deletes.
 *
 * `-x` is found in a cluster too (`-rx`, `-xVALUE`), `--long` also shortened and with `=VALUE`, `+` in front of anything, all else as
 * the whole word. The list holds what is known and in use; a program that is not on it is taken at its name.
 */
export interface Reach {
  text?: string
  further?: string
}

const PROGRAMS: Readonly<Record<string, Reach>> = {
  ...each("bash sh dash ash zsh ksh fish csh tcsh", { text: "-c --command --init-file --rcfile" }),
  ...each("su runuser script flock", { text: "-c --command" }),
  ...each("awk gawk mawk nawk", { text: "-f --file -i --include -l --load -e --source -E --exec" }),
  ...each("python pypy", { text: "-c" }),
  ...each("node bun deno tsx", {
    text: "-e --eval -p --print -r --require --import --loader --experimental-loader eval",
  }),
  ...each("perl ruby", { text: "-e -E -M -m" }),
  ...each("lua luajit Rscript R osascript ghc elixir erl julia", { text: "-e -eval --eval" }),
  ...each("npm pnpm yarn", { text: "-c --call --script-shell config set", further: "exec x dlx explore init create" }),
  ...each("docker podman nerdctl kubectl", { further: "run exec debug attach" }),
  ...each("vi vim nvim ex view emacs", { text: "-c --cmd -S -e --eval --execute -l --load -f --funcall +" }),
  ...each("gcc g++ cc c++ clang clang++", { text: "-wrapper -specs -fplugin -B" }),
  ...each("mapfile readarray", { text: "-C" }),
  ...each("compgen complete", { text: "-C -F -W" }),
  ...each("scp sftp", { text: "-o -F -S -D -b" }),
  cargo: { text: "--config", further: "run" },
  curl: {
    text: "-K --config",
    further:
      "-o --output -O --remote-name --remote-name-all --output-dir -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr",
  },
  env: { text: "-S --split-string" },
  fd: { further: "-x --exec -X --exec-batch" },
  find: { further: "-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls" },
  gdb: { text: "-ex -iex -x --eval-command --command" },
  go: { text: "-exec -toolexec -vettool", further: "run generate" },
  jobs: { further: "-x" },
  less: { text: "+ -k --lesskey-file --lesskey-src", further: "-o -O --log-file --LOG-FILE" },
  make: { text: "--eval", further: "-f --file --makefile" },
  man: { text: "-P --pager -H --html -C --config-file" },
  openssl: { text: "-engine -provider -provider-path", further: "-out" },
  php: { text: "-r -B -R -E -d" },
  rg: { text: "--pre --hostname-bin" },
  rsync: { text: "-e --rsh --rsync-path" },
  sed: { text: "-f --file", further: "-i --in-place" },
  sort: { text: "--compress-program", further: "-o --output" },
  split: { text: "--filter" },
  ssh: { text: "-o -F" },
  tar: {
    text: "-I --use-compress-program --to-command --checkpoint-action -F --info-script --new-volume-script --rsh-command --rmt-command",
  },
  tcpdump: { text: "-z" },
  tree: { further: "-o" },
  wget: { text: "-e --execute --use-askpass --config" },
  xmllint: { further: "--output" },
  yq: { further: "-i --inplace" },
  zip: { text: "-TT --unzip-command" },
}

/** Of git's commands, `*` being any of them. */
const GIT: Readonly<Record<string, Reach>> = {
  "*": { text: "--upload-pack --receive-pack --exec --ext-diff", further: "--output" },
  ...each("config filter-branch remote-ext instaweb", { text: "config filter-branch remote-ext instaweb" }),
  ...each("archive format-patch", { further: "-o --output-directory" }),
  bisect: { further: "run" },
  clone: { text: "-c --config -u --template" },
  difftool: { text: "-x --extcmd" },
  grep: { text: "-O --open-files-in-pager" },
  init: { text: "--template" },
  rebase: { text: "-x" },
  "send-email": { text: "--smtp-server --sendmail-cmd --to-cmd --cc-cmd --header-cmd" },
  submodule: { further: "foreach" },
}

/** They run the words behind them. */
const LAUNCHERS = new Set(
  (
    "ash bash batch at builtin bunx busybox chroot chrt command csh dash doas entr env exec expect faketime fakeroot fish flock ionice ksh " +
    "ltrace nice nohup npx nsenter numactl parallel pipx pkexec pnpx proot rlwrap rsh runuser script setarch setpriv setsid sh ssh " +
    "start-stop-daemon stdbuf strace su sudo systemd-run taskset tcsh time timeout tmux toybox tsx unbuffer unshare uvx watch xargs zsh"
  ).split(" "),
)

/** Builtins of the shell that read what they are given once more as shell text. */
const EVALUATORS = new Set("eval trap source . enable bind let".split(" "))

/** What is known of a program, which may be named by its path and with a version: `/usr/bin/python3.11`. */
export function reachOf(program: string): Reach | undefined {
  const name = programName(program)
  return Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined
}

/** Likewise of a command of git's. */
export function gitReach(command: string): Reach[] {
  return ["*", command].flatMap((name) => (Object.hasOwn(GIT, name) ? (GIT[name] ?? []) : []))
}

/** @example roleOf("/usr/bin/env") // "launcher" */
export function roleOf(program: string): "launcher" | "evaluator" | undefined {
  const name = programName(program)
  if (EVALUATORS.has(name)) return "evaluator"
  return LAUNCHERS.has(name) ? "launcher" : undefined
}

/** @example programName("/usr/bin/python3.11") // "python" */
export function programName(program: string): string {
  const name = program.slice(program.lastIndexOf("/") + 1)
  return name.replace(/-?\d[\d.]*$/, "") || name
}

function each(names: string, reach: Reach): Record<string, Reach> {
  return Object.fromEntries(names.split(" ").map((name) => [name, reach]))
}
