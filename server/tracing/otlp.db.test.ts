import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { specOf, World, type WorldOptions } from "#server/control-loop/testing/world.ts";
import { jobTrace } from "#server/db/schema/job-trace.ts";
import type { StartAttempt } from "#server/providers/driver.ts";
import { defaultFakeJob } from "#server/providers/fake/fake-job.ts";
import { systemContext } from "#server/services/core/context.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { submitJob } from "#server/services/work/job/submit-one.ts";
import { sendTraces } from "#server/services/work/trace/send.ts";
import { openOtlp } from "./otlp.ts";
import { makeTraceStarter } from "./start.ts";
import { openReceiver, type ReceivedSpan } from "./testing/receiver.ts";

const CALLER = { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", tracestate: "vendor=abc" };

let receiver: Awaited<ReturnType<typeof openReceiver>>;
let otlp: ReturnType<typeof openOtlp>;
const worlds: World[] = [];

beforeAll(async () => {
	receiver = await openReceiver();
	otlp = openOtlp({ url: receiver.url, serviceName: "spillway", version: "1.2.3", instance: "a" });
});
afterAll(async () => {
	await otlp.close();
	await receiver.close();
	for (const world of worlds) await world.database.drop();
});

/** Submits a job as a request with these headers does. */
async function submitTraced(world: World, headers: Record<string, string>, name = "a"): Promise<string> {
	const ctx = systemContext(world.database.db, world.clock, "seed");
	const trace = makeTraceStarter(1)(headers, world.clock.nowMs() - 20);
	return submitJob({ ...ctx, trace }, specOf({ name }));
}

async function open(options: WorldOptions): Promise<World> {
	const world = await World.open(options);
	worlds.push(world);
	return world;
}

const rows = (world: World) => world.database.db.select().from(jobTrace);
const spansOf = (jobId: string): ReceivedSpan[] => receiver.received.filter((span) => span.attributes["spillway.job.id"] === jobId);

describe("a traced job", () => {
	it("is one trace from submit to charge, continued from the caller, sent while it runs and complete at its end", async () => {
		const world = await open({ slots: 0, tickMs: 5_000 });
		const jobId = await submitTraced(world, CALLER);
		const [started] = await rows(world);
		await world.until(async () => (await world.jobs())[0]?.state === "running");
		await sendTraces(world.ctx, otlp.send);
		expect(
			spansOf(jobId)
				.map(({ name }) => name)
				.sort(),
		).toEqual(["boot", "decide", "launch", "stage", "submit"]);
		await world.until(() => world.quiet());
		await meterAll(world.ctx);
		await sendTraces(world.ctx, otlp.send);
		const spans = spansOf(jobId);
		expect(started).toMatchObject({ jobId, parentSpanId: "00f067aa0ba902b7" });
		expect(receiver.problems).toEqual([]);
		expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set(["4bf92f3577b34da6a3ce929d0e0e4736"]));
		expect(new Set(spans.map(({ traceState }) => traceState))).toEqual(new Set(["vendor=abc"]));
		expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
		const parentName = ({ parentSpanId }: ReceivedSpan) => spans.find(({ spanId }) => spanId === parentSpanId)?.name ?? parentSpanId;
		expect(spans.map((span) => `${parentName(span)} > ${span.name}`).sort()).toEqual([
			"00f067aa0ba902b7 > submit",
			"attempt > boot",
			"attempt > charge",
			"attempt > launch",
			"attempt > run",
			"attempt > stage",
			"submit > attempt",
			"submit > decide",
		]);
		const byName = new Map(spans.map((span) => [span.name, span]));
		const [job] = await world.jobs();
		expect((byName.get("run")?.endMs ?? 0) - (byName.get("run")?.startMs ?? 0)).toBe(30_000);
		expect(byName.get("submit")).toMatchObject({ kind: "SPAN_KIND_SERVER" });
		expect((byName.get("submit")?.endMs ?? 0) - (byName.get("submit")?.startMs ?? 0)).toBe(20);
		expect(byName.get("charge")?.attributes["spillway.cost.usd"]).toBeCloseTo(Number(job?.costMicroUsd) / 1e6, 6);
		expect(byName.get("launch")?.attributes).toMatchObject({
			"cloud.provider": "aws",
			"cloud.region": "us-east-1",
			"host.type": "g5.xlarge",
		});
		expect(byName.get("decide")?.attributes).toMatchObject({ "spillway.policy": "default", "spillway.policy.version": 1 });
		expect(byName.get("run")?.resource).toMatchObject({
			"service.name": "spillway",
			"service.version": "1.2.3",
			"service.instance.id": "a",
		});
		expect(await rows(world)).toEqual([]);
	});

	it("passes its run as TRACEPARENT to the command, and shows a failed attempt with its reason", async () => {
		const seen: StartAttempt[] = [];
		const world = await open({
			slots: 2,
			tickMs: 5_000,
			jobOf: (request) => {
				seen.push(request);
				return { ...defaultFakeJob(request), exit: { code: 3, signal: null, error: null } };
			},
		});
		const jobId = await submitTraced(world, {}, "fails");
		await submitTraced(world, { traceparent: CALLER.traceparent.replace(/01$/, "00") }, "unsampled");
		expect(await rows(world)).toHaveLength(1);
		await world.until(() => world.quiet());
		await meterAll(world.ctx);
		receiver.status = 400;
		await expect(sendTraces(world.ctx, otlp.send)).rejects.toThrow();
		receiver.status = 200;
		await sendTraces(world.ctx, otlp.send);
		const run = spansOf(jobId).find(({ name }) => name === "run");
		expect(run?.status).toEqual({ code: "STATUS_CODE_ERROR", message: "exit_nonzero" });
		// The two start side by side, in any order.
		expect(Object.fromEntries(seen.map(({ spec }) => [spec.name, spec.env["TRACEPARENT"]]))).toEqual({
			fails: `00-${run?.traceId}-${run?.spanId}-01`,
			unsampled: undefined,
		});
	});
});

describe("sampling", () => {
	it("follows the caller, and otherwise takes the share of the setting", () => {
		const never = makeTraceStarter(0);
		expect(never(CALLER, 0)).toMatchObject({ traceId: "4bf92f3577b34da6a3ce929d0e0e4736", traceState: "vendor=abc" });
		expect(never({}, 0)).toBeNull();
		expect(never({ traceparent: "00-zz-1-01" }, 0)).toBeNull();
		const some = makeTraceStarter(0.5);
		const sampled = Array.from({ length: 400 }, () => some({}, 0)).filter((start) => start !== null).length;
		expect(sampled).toBeGreaterThan(100);
		expect(sampled).toBeLessThan(300);
	});
});
