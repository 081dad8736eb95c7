import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, it } from "vitest";
import { pipeline, pipelineHold, pipelineJob } from "#server/db/schema/pipeline.ts";
import { parsePipelineText } from "#server/domain/pipeline/pipeline-file.ts";
import { checkStepCondition } from "#server/policy/step-condition.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { placeHold } from "#server/services/ledger/budget/place-hold.ts";
import { postToHolds } from "#server/services/ledger/budget/post-to-holds.ts";
import * as test from "#server/services/ledger/charge/testing/books.ts";
import { insertPipeline } from "./insert.ts";
import { shrinkReservation } from "./reserve.ts";

const POLICY = `apiVersion: spillway/v1
kind: Policy
metadata: { name: default }
spec:
  rules: [{ id: burst, burst: { after: { forecastWait: 30m } } }]
  budgets: [{ id: cloud-month, scope: "true", period: month, capUsd: 100, atCap: hold }]
`;
const TEXT = `apiVersion: spillway/v1
kind: Pipeline
metadata: { name: two, team: risk }
spec: { steps: [{ name: train, foreach: [a, b], job: { command: ["true"] } }] }
`;
const spec = parsePipelineText(TEXT, { checkCondition: checkStepCondition });
const times = new Map([["train", { runMs: 0, restMs: 0, maximumMicroUsd: "30000000" }]]);

let books: test.Books;
beforeEach(async () => {
	books = await test.openBooks();
	await publishPolicy(books, { name: "default", message: "test", source: POLICY });
});
afterEach(() => books.database.drop());

const submit = () => books.db.transaction((tx) => insertPipeline(tx, books, { spec, source: "", quote: null, times }));
const place = (instanceId: string, amountMicroUsd: bigint, jobId?: string) =>
	books.db.transaction((tx) =>
		placeHold(tx, {
			...{ holds: [{ instanceId, amountMicroUsd }], budgets: [test.aBudget()], nowMs: books.clock.nowMs() },
			...(jobId !== undefined && { jobId }),
		}),
	);
const held = async () => (await test.readBudget(books, "cloud-month", "2026-11-01")).held;
const left = async () => (await books.db.select().from(pipelineHold)).map(({ leftMicroUsd }) => leftMicroUsd);

it("holds the worst case of the whole graph once, and rejects one that does not fit", async () => {
	await submit();
	expect(await held()).toBe(60_000_000n);
	await expect(submit()).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("budget cloud-month has $40") });
	expect(await held()).toBe(60_000_000n);
	expect(await books.db.$count(pipeline)).toBe(1);
});

it("uses the reservation only for its own jobs, recovers what they leave unused, and ends with nothing held", async () => {
	const id = await submit();
	const { instanceId, jobId } = await test.addMachine(books);
	await books.db.insert(pipelineJob).values({ jobId, pipelineId: id, run: 0, createdAtMs: books.clock.nowMs() });
	expect(await place("ins_other", 50_000_000n)).toMatchObject({ ok: false, freeMicroUsd: 40_000_000n });
	expect(await place("ins_other", 40_000_000n)).toEqual({ ok: true });
	// The budget is full, yet the pipeline's job still fits within the reservation.
	expect(await place(instanceId, 30_000_000n, jobId)).toEqual({ ok: true });
	expect([await held(), await left()]).toEqual([100_000_000n, [30_000_000n]]);
	await books.db.transaction((tx) => postToHolds(tx, [{ instanceId, charges: [], settled: true }], books.clock.nowMs()));
	expect([await held(), await left()]).toEqual([100_000_000n, [60_000_000n]]);
	await books.db.transaction((tx) => shrinkReservation(tx, id, 30_000_000n));
	expect([await held(), await left()]).toEqual([70_000_000n, [30_000_000n]]);
	await books.db.transaction((tx) => shrinkReservation(tx, id, 0n));
	expect([await held(), await left()]).toEqual([40_000_000n, []]);
	expect(await books.db.select().from(pipelineHold).where(eq(pipelineHold.pipelineId, id))).toEqual([]);
});
