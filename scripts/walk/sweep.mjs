// Sweeps of 200 trials, each one row: the example, which ends at its target, and one with trials that the median stops.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "../lib/node.mjs";

const TRIALS = 200;
/** Trials of three seconds with a constant metric. */
const MEDIAN = `apiVersion: spillway/v1
kind: Sweep
metadata: { name: median, team: research }
spec:
  parallel: 8
  random: { trials: ${TRIALS}, seed: 1, draw: { floor: { min: 0, max: 1 } } }
  stop: { metric: loss, goal: minimize, rule: median, warmup: 2 }
  job:
    class: sensitive
    command: [sh, -c, 'for i in $(seq 20); do echo "epoch $i loss=\${{ trial.floor }}"; sleep 0.15; done']
    duration: { estimate: 3s, max: 5m }
    metrics: ["epoch {step} loss={loss}"]
`;

/** @type {(demo: import("./demo.mjs").Demo, expect: (holds: boolean, promise: string) => void) => Promise<object>} */
export async function walkSweep(demo, expect) {
	const file = path.join(demo.folder, "median.yaml");
	writeFileSync(file, MEDIAN);
	const example = await sweep(demo, expect, path.join(root, "examples/pipelines/sweep.yaml"));
	const median = await sweep(demo, expect, file);
	expect(example.neverStarted > 0, "a sweep ends when a trial reaches the target");
	expect(median.stoppedByMedian > 0 && median.counts.succeeded > 0, "the median stops some trials early");
	expect(median.stoppedByMedian <= median.counts.skipped, "a trial that succeeded is not shown as stopped");
	return { example, median };
}

async function sweep(demo, expect, file) {
	const { id, name } = await demo.cli("pipeline", "submit", "--json", "-f", file);
	const slowestMs = {};
	const timed = async (what, at) => {
		const before = performance.now();
		const answer = await demo.get(at);
		slowestMs[what] = Math.max(slowestMs[what] ?? 0, Math.round(performance.now() - before));
		return answer;
	};
	const read = async () => {
		const { items } = await timed("list", "/pipelines?kind=Sweep");
		const trials = await timed("trials", `/pipelines/${id}/trials`);
		return { rows: items.filter((row) => row.name === name), trials, detail: await timed("detail", `/pipelines/${id}`) };
	};
	const isOver = async () => {
		const now = await read();
		return now.detail.state !== "running" && now;
	};
	const { rows, trials, detail } = await demo.until(`the sweep ${name} ends`, isOver, 1_800_000);
	const sum = trials.items.reduce((total, { costMicroUsd }) => total + BigInt(costMicroUsd), 0n);
	expect(rows.length === 1 && trials.items.length === TRIALS, `${name}: ${TRIALS} trials are one row`);
	expect(detail.state === "succeeded" && detail.counts.skipped > 0, `${name}: succeeds, and stops trials early`);
	expect(String(sum) === detail.costMicroUsd, `${name}: the receipt is the sum of the trials`);
	return {
		...{ rows: rows.length, trials: trials.items.length, counts: detail.counts, best: trials.items[trials.best]?.best ?? null },
		stoppedByMedian: trials.items.filter(({ why }) => why?.includes("median")).length,
		neverStarted: trials.items.filter(({ state, jobId }) => state === "skipped" && jobId === null).length,
		...{ seconds: (Date.parse(detail.finishedAt) - Date.parse(detail.submittedAt)) / 1000, receiptMicroUsd: String(sum), slowestMs },
	};
}
