import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { forecastSpend } from "#server/accounting/forecast.ts";
import { ALERT_RULES } from "#server/domain/alert.ts";
import { decideAlerts } from "#server/domain/decide-alerts.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { nextTryMs, TRIES_MAX } from "./retry.ts";
import { DELIVERY_HEADER, REPLAY_WINDOW_S, SIGNATURE_HEADER, signBody, verifySignature } from "./signature.ts";

const text = readFileSync(path.resolve(import.meta.dirname, "../../../../docs/budgets.md"), "utf8");
const block = (language: string) => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\\n\`\`\``).exec(text)?.[1] ?? "";

describe("docs/budgets.md", () => {
	it("has a worked signature that matches ours, and receiver code that accepts it and nothing else", () => {
		const [key, seconds] = [/the key `([^`]+)`/.exec(text)?.[1] ?? "", Number(/the time (\d+)/.exec(text)?.[1])];
		const [body, header] = [block("json"), block("text")];
		expect(signBody(key, body, seconds * 1_000)).toBe(header);
		expect(verifySignature(key, body, header, seconds * 1_000)).toBe(true);
		const code = block("js").replace(/^import .*$/m, "");
		const receive = new Function("createHmac", "timingSafeEqual", `${code}; return isFromSpillway;`)(createHmac, timingSafeEqual);
		expect(receive(key, body, header, seconds + 300)).toBe(true);
		expect(receive(key, body, header, seconds + 301)).toBe(false);
		expect(receive(key, `${body} `, header, seconds)).toBe(false);
		expect(receive("another key", body, header, seconds)).toBe(false);
		for (const said of [DELIVERY_HEADER, SIGNATURE_HEADER, `**${REPLAY_WINDOW_S}`]) expect(text).toContain(said);
	});

	it("has a correct worked forecast", () => {
		const todayMs = Date.UTC(2026, 11, 5);
		const history = Array.from({ length: 28 }, (_, i) => ({ dayStartMs: todayMs - (28 - i) * DAY_MS, microUsd: 10_000_000n }));
		const nowMs = todayMs + 10 * HOUR_MS;
		const forecast = forecastSpend({ spentSoFarMicroUsd: 40_000_000n, history, nowMs, periodEndMs: Date.UTC(2027, 0) });
		expect(forecast).toMatchObject({ expectedMicroUsd: 305_833_333n, lowMicroUsd: 305_833_333n, highMicroUsd: 305_833_333n });
		expect(text).toContain("**$305.83**");
	});

	it("has a correct worked anomaly", () => {
		const usd = (n: number) => BigInt(n) * 1_000_000n;
		const day = { team: "a", dayStartMs: 0, dayKey: "1970-01-01", microUsd: usd(733), usualMicroUsd: [404, 380, 420, 396].map(usd) };
		const settings = { thresholdsPercent: [50, 80, 100], anomalyFloorMicroUsd: usd(100) };
		const { open } = decideAlerts(
			{ settings, budgets: [], teamDays: [day], risk: [], sweeps: [], sites: [], stuck: [], expiring: [], missingRate: null },
			[],
		);
		expect(open[0]?.facts).toMatchObject({ medianMicroUsd: String(usd(400)), deviationMicroUsd: String(usd(12)) });
	});

	it("names every rule, and the pauses and tries in the code", () => {
		for (const rule of ALERT_RULES) expect(text).toContain(`\`${rule}\``);
		const timing = { deliverRetryMs: 30_000, deliverRetryMaxMs: HOUR_MS };
		expect([nextTryMs(1, 0, 0, timing), nextTryMs(1, 0, 1, timing)]).toEqual([15_000, 30_000]);
		expect(nextTryMs(9, 0, 1, timing)).toBe(HOUR_MS);
		expect(TRIES_MAX).toBe(10);
		expect(text).toContain("ten times in all");
	});
});
