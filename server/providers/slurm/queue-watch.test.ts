import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ManualClock, systemClock } from "#server/kernel/clock.ts";
import { SlurmCalls } from "./client.ts";
import type { SlurmJob } from "./mapper.ts";
import { jobSchema } from "./mapper.ts";
import { QueueWatch } from "./queue-watch.ts";
import { slurmSettingsSchema } from "./settings.ts";

const PENDING = 10_000;
const LISTING_MS = 60;
const job = (id: number): SlurmJob =>
	jobSchema.parse({ job_id: id, name: `train-${id}`, user_name: "alice", partition: "gpu", job_state: "PENDING", submit_time: 1_000 + id });

/** A controller with ten thousand pending jobs and a slow listing. */
function aController() {
	const jobs = new Map(Array.from({ length: PENDING }, (_, i) => [i + 1, job(i + 1)]));
	const asked = { listings: 0, questions: 0 };
	const calls = {
		async jobsSince() {
			asked.listings += 1;
			await sleep(LISTING_MS);
			return [...jobs.values()];
		},
		async job(id: number) {
			asked.questions += 1;
			return jobs.get(id) ?? null;
		},
	};
	return { jobs, asked, calls };
}

describe("a queue of ten thousand pending jobs", () => {
	it("is listed for at most a twentieth of the time, and new jobs are found without a listing", async () => {
		const { jobs, asked, calls } = aController();
		const clock = new ManualClock(0);
		const watch = new QueueWatch({ user: "spillway", queuePollMs: 100 }, calls, clock);
		const look = () => watch.now([], new Map());
		expect((await look()).jobs).toHaveLength(PENDING);
		const lookedMs = 10 * LISTING_MS;
		for (let n = 1; n <= 5; n++) {
			clock.advance(lookedMs / 5);
			jobs.set(PENDING + n, job(PENDING + n));
			expect((await look()).jobs).toHaveLength(PENDING + n);
		}
		// Half of twenty times its duration.
		expect(asked.listings).toBe(1);
		// Each pass queries the new number and three behind it.
		expect(asked.questions).toBe(5 * 4);
		clock.advance(600_000);
		await look();
		expect(asked.listings).toBe(2);
	});
});

describe("slurmrestd", () => {
	it("that is slow counts as unresponsive after the site's timeout", async () => {
		const server = createServer(() => {}).listen(0, "127.0.0.1");
		await new Promise((resolve) => server.once("listening", resolve));
		const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		const settings = {
			url,
			user: "spillway",
			token: { value: "a.b.c" },
			folder: "/shared",
			accelerators: { h100: "H100-80GB" },
			answerTimeoutMs: 50,
		};
		const error = await new SlurmCalls(slurmSettingsSchema.parse(settings), systemClock).nodes().catch((e: unknown) => e);
		expect(error).toMatchObject({ name: "DriverError", kind: "transient", message: expect.stringContaining("does not answer") });
		server.closeAllConnections();
		server.close();
	});
});
