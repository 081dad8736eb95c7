/**
 * Submits a few jobs a minute to the demo, with a daily rhythm, through the API as anyone would. They sleep. `npm start` runs it
 * unless SPILLWAY_DEMO=quiet.
 */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { COMPANY_FAMILIES } from "#server/demo/company/families.ts";
import { nextJob, pauseMs } from "#server/demo/company/traffic.ts";
import { env } from "#server/env.ts";
import { logLine } from "#server/kernel/program-log.ts";
import { seededRandom } from "#server/kernel/random.ts";

const ANSWER_LIMIT_MS = 30_000;

const settings = env();
const url = `http://${settings.SPILLWAY_HOST}:${settings.SPILLWAY_PORT}/api/v1/jobs`;
const token = readFileSync(path.join(settings.SPILLWAY_HOME, "token"), "utf8").trim();
const random = seededRandom(Date.now() % 2 ** 31);
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => process.exit(0));

for (;;) {
	await sleep(pauseMs(random, Date.now()));
	const document = nextJob(random, COMPANY_FAMILIES, Date.now());
	try {
		const response = await fetch(url, {
			method: "POST",
			headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": randomUUID() },
			body: JSON.stringify(document),
			signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
		});
		if (!response.ok) logLine("warn", `${document.metadata.name} was refused: ${response.status} ${await response.text()}`);
		else await response.arrayBuffer();
	} catch (error) {
		logLine("warn", `${document.metadata.name} was not submitted: ${error instanceof Error ? error.message : String(error)}`);
	}
}
