import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { playJobs } from "#server/api/testing/play-jobs.ts";
import { RestWorld } from "#server/api/testing/rest-world.ts";
import { ApiError, SpillwayClient } from "./typescript/src/client.ts";
import type { JobDocument, SubmittedJob } from "./typescript/src/types.ts";

let world: RestWorld;
let client: SpillwayClient;
let stop: () => Promise<void>;
beforeAll(async () => {
	world = await RestWorld.open();
	client = new SpillwayClient({ url: `${world.url}/`, token: world.tokens.scientist });
	stop = playJobs(world);
});
afterAll(async () => {
	await stop();
	await world.close();
});

const JOB: JobDocument = {
	...{ apiVersion: "spillway/v1", kind: "Job", metadata: { name: "typed", team: "research" } },
	spec: { command: ["true"], env: { LINES: "one\ntwo" }, outputs: [{ name: "model", path: "out" }] },
};

describe("the TypeScript client", () => {
	it("submits, follows the log, and downloads a result", async () => {
		const { id } = (await client.call("job.create", { body: JOB })) as SubmittedJob;
		const lines: string[] = [];
		for await (const line of client.lines("job.readLogs", { id, follow: true })) if ("text" in line) lines.push(line.text);
		expect(lines).toEqual(["one", "two"]);
		const job = await client.call("job.get", { id });
		expect([job.state, job.team]).toEqual(["succeeded", "research"]);
		const [artifact] = (await client.call("artifact.list", { id })).items;
		const file = await client.file("artifact.download", { id: artifact?.id ?? "", path: artifact?.fileList[0]?.path ?? "" });
		expect(await file.text()).toBe("weights of model");
	});

	it("sends lists, text bodies and keys", async () => {
		const { items } = await client.call("job.list", { state: ["queued", "succeeded"], q: "typed", limit: 5 });
		expect(items.map(({ name }) => name)).toContain("typed");
		const yaml = "apiVersion: spillway/v1\nkind: Job\nmetadata: { name: yaml, team: research }\nspec: { command: [a] }\n";
		expect(await client.call("job.create", { body: yaml })).toMatchObject({ name: "yaml" });
		const quote = await client.call("job.quote", { body: JOB });
		expect(BigInt(quote.candidates[0]?.totalMicroUsd ?? "-1")).toBeGreaterThanOrEqual(0n);
	});

	it("repeats a write with the same key when the connection breaks, and only then", async () => {
		const keys: (string | null)[] = [];
		const broken: typeof fetch = async (input, init) => {
			keys.push(new Headers(init?.headers).get("idempotency-key"));
			const response = await fetch(input, init);
			if (keys.length === 1) throw new TypeError("the connection broke");
			return response;
		};
		const other = new SpillwayClient({ url: world.url, token: world.tokens.scientist, fetch: broken });
		await other.call("job.create", { body: { ...JOB, metadata: { name: "once", team: "research" } } });
		expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
		expect((await client.call("job.list", { q: "once" })).items).toHaveLength(1);
	});

	it("reports the problem of a rejected call", async () => {
		const refused = await client.call("job.get", { id: `job_${"0".repeat(26)}` }).catch((error: unknown) => error);
		expect(refused).toBeInstanceOf(ApiError);
		expect(refused).toMatchObject({ status: 404, problem: { code: "not_found" } });
		await expect(new SpillwayClient({ url: world.url, token: "wrong" }).call("team.list", {})).rejects.toMatchObject({ status: 401 });
	});
});
