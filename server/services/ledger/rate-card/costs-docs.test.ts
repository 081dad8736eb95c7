import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { billingTermsOf } from "#server/accounting/billing-terms.ts";
import { diskCostUntil, diskTermsOf } from "#server/accounting/disk.ts";
import { gpuHourCost } from "#server/accounting/gpu-hour-cost.ts";
import { meterPool } from "#server/accounting/meter-pool.ts";
import { cardCost, cardParts } from "#server/accounting/owned-cost.ts";
import { aPool, aUse, sumOf } from "#server/accounting/testing/build.ts";
import { UTC } from "#server/accounting/zone.ts";
import { rateCardInput } from "#server/contract/inputs/rates.ts";
import { ownedRateCardSchema } from "#server/domain/rate-card.ts";
import { readYaml } from "#server/domain/read-yaml.ts";
import { microToUsdText } from "#server/kernel/money.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { effectiveFromMs, validateCard } from "./input.ts";

const page = readFileSync(new URL("../../../../docs/costs.md", import.meta.url), "utf8");

function block(language: string): string {
	const found = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\n\`\`\``).exec(page)?.[1];
	if (found === undefined) throw new Error(`docs/costs.md has no ${language} block`);
	return found;
}

describe("docs/costs.md", () => {
	it("shows a disk over the end of a month with the cost given on the page", () => {
		const said = /^Example: 100 GiB at \$0\.08 from 12:00 on 30 November .* = \$(0\.\d+)\.$/m.exec(page)?.[1];
		const disk = { microUsdPerMonth: 8_000_000n, terms: diskTermsOf("aws") };
		const [fromMs, toMs] = [Date.parse("2026-11-30T12:00:00Z"), Date.parse("2026-12-02T00:00:00Z")];
		expect(microToUsdText(diskCostUntil(disk, fromMs, toMs - fromMs))).toBe(said);
	});

	it("names the source of each provider's rounding of disks", () => {
		for (const provider of ["aws", "gcp"] as const) {
			const url = /https:\/\/[^ ]+/.exec(diskTermsOf(provider).source ?? "")?.[0] ?? "none";
			expect(page).toContain(`](${url})`);
		}
	});

	it("shows a card with the cost given on the page", () => {
		const file = rateCardInput.parse(readYaml(block("yaml")).doc?.toJS());
		const card = ownedRateCardSchema.parse(file.card);
		validateCard(card);
		const month = { fromMs: Date.parse("2028-02-01"), toMs: Date.parse("2028-03-01") };
		const pool = aPool({
			gpus: 4,
			ownedSinceMs: month.fromMs,
			cards: [{ fromMs: effectiveFromMs(file.effectiveFrom, UTC, month.fromMs), cost: cardCost(card, UTC) }],
		});
		const use = aUse({ slots: [2], startMs: month.fromMs, endMs: month.fromMs + 240 * HOUR_MS });
		const { charges } = meterPool(pool, [use], month.toMs);
		const [used, idle] = [charges.filter((c) => c.allocationId !== null), charges.filter((c) => c.poolId !== null)];
		const sums = {
			usedMicroUsd: sumOf(used, (c) => c.effectiveMicroUsd),
			idleMicroUsd: sumOf(idle, (c) => c.effectiveMicroUsd),
			usedGpuMs: sumOf(used, (c) => c.gpuMs),
			idleGpuMs: sumOf(idle, (c) => c.gpuMs),
		};
		const parts = cardParts(card, UTC, month);
		const { ownedMicroUsdPerGpuHour, usedMicroUsdPerGpuHour } = gpuHourCost(sums);
		const said = Object.fromEntries(
			block("text")
				.split("\n")
				.map((line) => line.split(/\s{2,}/)),
		);
		expect(Object.fromEntries(Object.entries(said).map(([name, usd]) => [name, Number(usd)]))).toEqual(
			Object.fromEntries(
				Object.entries({
					depreciation: parts.depreciationMicroUsd,
					rack: parts.rackMicroUsd,
					network: parts.networkMicroUsd,
					support: parts.supportMicroUsd,
					staff: parts.staffMicroUsd,
					used: sums.usedMicroUsd,
					idle: sums.idleMicroUsd,
					"used + idle": sums.usedMicroUsd + sums.idleMicroUsd,
					"per GPU-hour owned": ownedMicroUsdPerGpuHour ?? 0n,
					"per GPU-hour used": usedMicroUsdPerGpuHour ?? 0n,
				}).map(([name, micro]) => [name, Number(microToUsdText(micro))]),
			),
		);
	});

	it("names the billing terms that the meter uses", () => {
		for (const provider of ["aws", "azure", "gcp"] as const) {
			const { incrementMs, rounding, minimumMs, source } = billingTermsOf(provider);
			const row = page.split("\n").find((line) => line.startsWith(`| ${provider} |`)) ?? "";
			const [, , increment, minimum, from] = row.split("|").map((cell) => cell.trim());
			expect([increment, minimum]).toEqual([
				`${incrementMs / 1_000} s, rounded ${rounding}`,
				minimumMs === 0 ? "none" : `${minimumMs / 1_000} s`,
			]);
			expect(source).not.toBeNull();
			if (source !== null) expect(from).toContain(source.split(" ")[0]);
		}
	});
});
