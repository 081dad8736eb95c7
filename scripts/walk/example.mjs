// The example pipeline, with the scheduler killed in each of its steps.
import { existsSync } from "node:fs";
import path from "node:path";
import { root } from "../lib/node.mjs";

/** The others are too short to be seen running every time. */
const KILLS = [
	["prepare", "submitted"],
	["train", "submitted"],
	["train", "running"],
	["evaluate", "submitted"],
	["bring-home", "submitted"],
];

/** @type {(demo: import("./demo.mjs").Demo, expect: (holds: boolean, promise: string) => void) => Promise<object>} */
export async function walkExample(demo, expect) {
	const { id } = await demo.cli("pipeline", "submit", "--json", "-f", path.join(root, "examples/pipelines/languages.yaml"));
	const read = () => demo.get(`/pipelines/${id}`);
	const kills = [];
	for (const [step, wanted] of KILLS) {
		const state = await demo.until(`step ${step} is ${wanted}`, async () => {
			const now = stateOf(await read(), step);
			return (now === wanted || now === "over") && now;
		});
		await demo.killScheduler();
		kills.push({ step, state });
	}
	const ended = await demo.until("the pipeline ends", async () => {
		const now = await read();
		return now.state !== "running" && now;
	});
	const { items: runs } = await demo.get(`/pipelines/${id}/runs`);
	const jobs = await Promise.all(runs.map(({ job }) => demo.get(`/jobs/${job.id}`)));
	const { items: ofPipeline } = await demo.get("/jobs?q=languages&limit=200");
	const model = await modelOf(demo, jobs.at(-1).id);
	expect(ended.state === "succeeded", "the example pipeline succeeds");
	expect(
		kills.every(({ state }) => state !== "over"),
		"the scheduler is killed in every step",
	);
	expect(isInOrder(ended.stepList), "no step starts before the steps that it needs have ended");
	expect(ofPipeline.length === runs.length, "each run is submitted once");
	expect(jobs.at(-1).placement?.provider === "local" && model, "the model is at home");
	const receiptMicroUsd = await receiptOf(demo, read, runs);
	expect(receiptMicroUsd !== null, "the pipeline's receipt is the sum of its jobs");
	return {
		...{ state: ended.state, kills, jobs: ofPipeline.length, attempts: jobs.reduce((sum, { attempts }) => sum + attempts, 0) },
		...{ seconds: (Date.parse(ended.finishedAt) - Date.parse(ended.submittedAt)) / 1000, modelAtHome: model, receiptMicroUsd },
	};
}

function stateOf({ stepList }, name) {
	const { counts, running } = stepList.find((step) => step.name === name);
	if (running > 0) return "running";
	if (counts.submitted > 0) return "submitted";
	return counts.waiting > 0 ? undefined : "over";
}

function isInOrder(steps) {
	const ends = new Map(steps.map(({ name, finishedAt }) => [name, finishedAt]));
	return steps.every(({ startedAt, needs }) => needs.every((need) => startedAt >= ends.get(need)));
}

/** Downloads the model and verifies its digest. */
async function modelOf(demo, jobId) {
	const to = path.join(demo.folder, "model");
	await demo.cli("artifacts", "get", jobId, "model", "--to", to);
	return existsSync(path.join(to, "model/model.json")) || existsSync(path.join(to, "model.json"));
}

/** The cost of the pipeline once all time of its jobs is charged; null when it is not their sum. */
async function receiptOf(demo, read, runs) {
	const jobs = () => Promise.all(runs.map(({ job }) => demo.get(`/jobs/${job.id}`)));
	const cost = ({ costMicroUsd }) => BigInt(costMicroUsd);
	await demo.until("every job is charged", async () => (await jobs()).every((job) => cost(job) > 0n));
	const sum = async () => (await jobs()).reduce((total, job) => total + cost(job), 0n);
	const pipeline = await read();
	const steps = pipeline.stepList.reduce((total, step) => total + cost(step), 0n);
	return cost(pipeline) === steps && steps === (await sum()) ? String(steps) : null;
}
