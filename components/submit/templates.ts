export type JobTemplate = { id: string; label: string; text: string };

/** Small jobs that only need Node. `team` is one the user can submit for. */
export function jobTemplates(team: string, example: string | null): JobTemplate[] {
	const head = (name: string) => `apiVersion: spillway/v1\nkind: Job\nmetadata: { name: ${name}, team: ${team} }\nspec:\n`;
	return [
		...(example === null ? [] : [{ id: "language-id", label: "Train the example", text: example }]),
		{
			id: "one-command",
			label: "One command on one GPU",
			text: `${head("first-job")}  class: burst
  # A list of arguments; no shell is involved.
  command: ["node", "-e", "console.log('GPU slot', process.env.CUDA_VISIBLE_DEVICES)"]
  resources: { gpus: 1 }
  # Estimated and maximum run time.
  duration: { estimate: 10s, max: 2m }
`,
		},
		{
			id: "spot-experiment",
			label: "Experiment on spot, with checkpoints",
			text: `${head("count-to-120")}  # The policy lets experiments burst to spot only, which the provider may reclaim at any time.
  class: experimental
  command:
    - node
    - -e
    - |
      const { mkdirSync, readFileSync, writeFileSync } = require("node:fs");
      const folder = process.env.SPILLWAY_CHECKPOINT_DIR;
      const file = folder + "/count";
      mkdirSync(folder, { recursive: true });
      let count = 0;
      try { count = Number(readFileSync(file, "utf8")); } catch {}
      console.log("starts at", count);
      const timer = setInterval(() => {
        console.log("count", ++count);
        writeFileSync(file, String(count));
        if (count >= 120) clearInterval(timer);
      }, 500);
  resources: { gpus: 1 }
  duration: { estimate: 1m, max: 10m }
  # Files in this folder are saved and restored after an interruption.
  checkpoint: { path: checkpoints, interval: 5s }
`,
		},
	];
}
