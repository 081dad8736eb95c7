/**
 * Submits a few jobs a minute to the demo, with a daily rhythm, batches at fixed times, and a pipeline every 20 minutes, through
 * the public API. The jobs only sleep. `npm start` runs it unless SPILLWAY_DEMO=quiet.
 */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { COMPANY_BATCHES } from "#server/demo/company/batches.ts";
import { COMPANY_FAMILIES } from "#server/demo/company/families.ts";
import { PUBLISHING, RETRAINING } from "#server/demo/company/retraining.ts";
import { type Batch, drawBatch, drawNextJob, pauseMs } from "#server/demo/company/traffic.ts";
import { env } from "#server/env.ts";
import { logLine } from "#server/kernel/program-log.ts";
import { seededRandom } from "#server/kernel/random.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";

const ANSWER_LIMIT_MS = 30_000;
const RETRAIN_EVERY_MS = 20 * MINUTE_MS;

const settings = env();
const url = `http://${settings.SPILLWAY_HOST}:${settings.SPILLWAY_PORT}/api/v1`;
const authorization = `Bearer ${readFileSync(path.join(settings.SPILLWAY_HOME, "token"), "utf8").trim()}`;
const random = seededRandom(Date.now() % 2 ** 31);
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => process.exit(0));

await saveTrigger();
for (const batch of COMPANY_BATCHES) void submitRepeatedly(batch);
let retrainAtMs = 0;
for (;;) {
	if (Date.now() >= retrainAtMs) {
		await submit("/pipelines", RETRAINING);
		retrainAtMs = Date.now() + RETRAIN_EVERY_MS;
	}
	await sleep(pauseMs(random, Date.now()));
	await submit("/jobs", drawNextJob(random, COMPANY_FAMILIES, Date.now()));
}

async function submitRepeatedly(batch: Batch): Promise<never> {
	for (;;) {
		for (const job of drawBatch(random, batch, Date.now())) await submit("/jobs", job);
		await sleep(batch.everyMs);
	}
}

/** Only once: saving it again would delete its firings. */
async function saveTrigger(): Promise<void> {
	try {
		const response = await fetch(`${url}/triggers`, { headers: { authorization }, signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
		const { items } = z.object({ items: z.array(z.object({ name: z.string() })) }).parse(await response.json());
		if (!items.some(({ name }) => name === PUBLISHING.metadata.name)) await submit("/triggers", PUBLISHING);
	} catch (error) {
		logLine("warn", `triggers were not listed: ${error instanceof Error ? error.message : String(error)}`);
	}
}

async function submit(to: "/jobs" | "/pipelines" | "/triggers", document: { metadata: { name: string } }): Promise<void> {
	const { name } = document.metadata;
	try {
		const response = await fetch(`${url}${to}`, {
			method: "POST",
			headers: { authorization, "content-type": "application/json", "idempotency-key": randomUUID() },
			body: JSON.stringify(document),
			signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
		});
		const body = await response.text();
		if (!response.ok) logLine("warn", `${name} was refused: ${response.status} ${body}`);
	} catch (error) {
		logLine("warn", `${name} was not submitted: ${error instanceof Error ? error.message : String(error)}`);
	}
}
