// The recorded requests of MLflow's client (2.x: start_run, log_param, log_metric), sent by a job at home that sets nothing itself.

const SCRIPT = `
const call = async (path, body) => {
	const headers = { authorization: "Bearer " + process.env.MLFLOW_TRACKING_TOKEN, "content-type": "application/json" };
	const url = process.env.MLFLOW_TRACKING_URI + "/api/2.0/mlflow" + path;
	const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
	if (!answer.ok) throw new Error(path + " failed with " + answer.status);
	return answer.json();
};
const at = Date.now();
const { run } = await call("/runs/create", { experiment_id: "0", user_id: "ada", start_time: at, run_name: "walk", tags: [] });
const of = { run_id: run.info.run_id, run_uuid: run.info.run_id };
await call("/runs/log-parameter", { ...of, key: "rate", value: "0.1" });
for (const step of [1, 2, 3]) await call("/runs/log-metric", { ...of, key: "loss", value: 1 / step, timestamp: at + step, step });
`;

/** @type {(demo: import("./demo.mjs").Demo, expect: (holds: boolean, promise: string) => void) => Promise<object>} */
export async function walkMlflow(demo, expect) {
	const job = ["submit", "--json", "--team", "research", "--class", "sensitive", "--name", "mlflow"];
	const { id } = await demo.cli(...job, "--", "node", "--input-type=module", "-e", SCRIPT);
	const { state } = await demo.until("the job ends", async () => {
		const now = await demo.get(`/jobs/${id}`);
		return now.finishedAt !== null && now;
	});
	const { items: metrics } = await demo.get(`/jobs/${id}/metrics`);
	const loss = metrics.find(({ key }) => key === "loss");
	const run = await runOf(demo);
	expect(state === "succeeded", "a job logs with the recorded requests of MLflow's client");
	expect(loss?.count === 3 && loss.last.step === 3, "the job shows what it logged");
	expect(run?.info.status === "FINISHED" && run.info.end_time !== undefined, "a run left open ends with its attempt");
	return { state, metrics: metrics.map(({ key, count }) => ({ key, count })), runStatus: run?.info.status ?? null };
}

async function runOf({ url, token }) {
	const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
	const call = async (path, body) =>
		(await fetch(`${url}/api/2.0/mlflow${path}`, { method: "POST", headers, body: JSON.stringify(body) })).json();
	const { experiments = [] } = await call("/experiments/search", { max_results: 100 });
	const { runs = [] } = await call("/runs/search", { experiment_ids: experiments.map((one) => one.experiment_id), max_results: 10 });
	return runs.find(({ info }) => info.run_name === "walk");
}
