import { describe, expect, it } from "vitest";
import { usdToMicro } from "#server/kernel/money.ts";
import { DAY_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { describeEffect } from "./describe-effect.ts";
import { parsePolicy } from "./parse-policy.ts";
import { rulesText } from "./testing/builders.ts";
import type { Measure } from "./types.ts";

const KIND = "machines: 4, accelerator: A100-80GB, gpus: 8, monthlyUsd: 500";
const parse = (fields: string) =>
	parsePolicy(rulesText(`{ id: kept, prewarm: { ${fields} } }`), { measures: ["stopped_machines", "stopped_spot"] });
const effectOf = (fields: string) => parse(fields).policy?.rules[0]?.effect;
const errorsOf = (fields: string) =>
	parse(fields)
		.problems.filter(({ severity }) => severity === "error")
		.map(({ message }) => message);

describe("a prewarm rule", () => {
	it("keeps stopped machines for a week at most, by forecast", () => {
		expect(effectOf(`${KIND}, waitingUsdPerGpuHour: 5`)).toEqual({
			...{ kind: "prewarm", machines: 4, accelerator: "A100-80GB", gpusPerMachine: 8, state: "stopped", sites: [], capacityType: null },
			...{ capMicroUsdPerMonth: usdToMicro("500"), idleMs: 7 * DAY_MS, waitingMicroUsdPerGpuHour: usdToMicro("5"), hours: null },
		});
	});

	it("keeps running machines for half an hour at most, in its hours", () => {
		expect(effectOf(`${KIND}, state: running, hours: { days: [mon], from: "07:30", to: "24:00" }`)).toMatchObject({
			...{ state: "running", idleMs: 30 * MINUTE_MS },
			hours: { days: ["mon"], fromMinute: 450, toMinute: 1440 },
		});
	});

	it.each([
		[KIND, "has neither a value of waiting nor hours"],
		[`${KIND}, waitingUsdPerGpuHour: 5, hours: { days: [mon], from: "07:00", to: "08:00" }`, "hours keeps all machines"],
		[`${KIND}, hours: { days: [mon], from: "18:00", to: "08:00" }`, "to must be later than from"],
		[`${KIND}, hours: { days: [mon], from: "7:30", to: "08:00" }`, '"7:30" is not a time of day'],
		[`${KIND}, hours: { days: [mon], from: "07:30", to: "24:30" }`, '"24:30" is not a time of day'],
		[`${KIND}, hours: { days: [monday], from: "07:30", to: "08:00" }`, "days[0]"],
		["machines: 0, accelerator: A100-80GB, gpus: 8, monthlyUsd: 500, waitingUsdPerGpuHour: 5", "machines"],
		["machines: 4, accelerator: A100-80GB, gpus: 8, waitingUsdPerGpuHour: 5", "monthlyUsd is required"],
	])("is an error: %s", (fields, message) => {
		const errors = errorsOf(fields);
		expect(errors).toHaveLength(1);
		expect(errors[0]).toContain(message);
	});

	it("warns where no cloud keeps machines stopped", () => {
		const warned = (fields: string, measures: readonly Measure[] = []) =>
			parsePolicy(rulesText(`{ id: kept, prewarm: { ${KIND}, waitingUsdPerGpuHour: 5${fields} } }`), { measures })
				.problems.map(({ severity, message }) => `${severity} ${message}`)
				.filter((text) => text.includes("prewarm has no effect"));
		expect(warned("")).toEqual([expect.stringMatching(/^warning prewarm has no effect: no connected cloud/)]);
		expect(warned(", state: running")).toEqual([]);
		expect(warned("", ["stopped_machines"])).toEqual([]);
		expect(warned(", capacityType: spot", ["stopped_machines"])).toEqual([expect.stringMatching(/spot machines are not stopped/)]);
	});

	it("names only sites that exist", () => {
		const text = rulesText(`{ id: kept, prewarm: { ${KIND}, waitingUsdPerGpuHour: 5, sites: [awz] } }`);
		const { problems } = parsePolicy(text, { siteIds: ["aws"], measures: ["stopped_machines"] });
		expect(problems.map(({ message, fix }) => [message, fix])).toContainEqual(['There is no site "awz".', "Did you mean aws?"]);
	});

	it("reads as a sentence", () => {
		const sentence = (fields: string) => {
			const effect = effectOf(fields);
			return effect
				? describeEffect(effect)
						.parts.map(({ text }) => text)
						.join("")
				: null;
		};
		expect(sentence(`${KIND}, waitingUsdPerGpuHour: 5`)).toBe(
			"at most 4 machines without a job are kept stopped, each with 8 A100-80GB, when the forecast expects a need, at $5 for an hour of waiting per GPU, for at most 7d each and $500 a month",
		);
		expect(sentence(`${KIND}, state: running, sites: [aws], hours: { days: [mon], from: "07:30", to: "24:00" }`)).toBe(
			"at most 4 machines without a job are kept running, each with 8 A100-80GB at aws, on mon 07:30 to 24:00, for at most 30m each and $500 a month",
		);
	});
});
