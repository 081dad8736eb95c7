import { describe, expect, it } from "vitest";
import { shippedListPrice } from "#server/rates/shipped-list-price.ts";
import { PRICE_COLUMNS, readListPrices } from "./list-price-file.ts";

const HEAD = `${PRICE_COLUMNS.join(",")}\n`;
const LIST = Number(shippedListPrice({ provider: "aws", instanceType: "p5.48xlarge", region: "us-east-1" })) / 1e6;
const line = (usd: number | string, changes: { capacity?: string; day?: string } = {}): string =>
	`aws,p5.48xlarge,us-east-1,${changes.capacity ?? "on_demand"},${usd},${changes.day ?? "2026-11-25"}\n`;

describe("readListPrices", () => {
	it("reads prices in any order of columns, ignores other machines, and keeps the newest of a machine", () => {
		const head = "as_of,usd_per_hour,provider,region,instance_type,capacity_type";
		const text = [head, `2026-11-20,${LIST},aws,us-east-1,p5.48xlarge,spot`, "2026-11-20,0.1,aws,us-east-1,m7i.large,on_demand"].join("\n");
		expect(readListPrices(text)).toEqual({
			rows: [
				{
					...{ provider: "aws", instanceType: "p5.48xlarge", region: "us-east-1", capacityType: "spot" },
					...{ microUsdPerHour: BigInt(Math.round(LIST * 1e6)), asOf: "2026-11-20" },
				},
			],
			ignored: 1,
		});
		const newest = readListPrices(HEAD + line(LIST, { day: "2026-11-26" }) + line(LIST * 0.9)).rows;
		expect(newest.map(({ asOf }) => asOf)).toEqual(["2026-11-26"]);
	});

	it.each([
		["provider,region\n", /its header lacks instance_type/],
		[HEAD, /it has no prices/],
		[`${HEAD}hetzner,a,b,spot,1,2026-11-25\n`, /line 2: "hetzner" is not a cloud with list prices/],
		[`${HEAD}aws,p5 48,b,spot,1,2026-11-25\n`, /line 2: "p5 48" is not a name in instance_type/],
		[HEAD + line(1, { capacity: "owned" }), /line 2: "owned" is not on_demand or spot/],
		[HEAD + line("-1"), /line 2: "-1" is not an amount above 0/],
		[HEAD + line(0), /line 2: "0" is not an amount above 0/],
		[HEAD + line(LIST, { day: "2026-02-30" }), /line 2: "2026-02-30" is not a date/],
		[HEAD + line(LIST) + line(LIST * 0.9), /line 3 has another price/],
	])("rejects %j and says why", (text, why) => {
		expect(() => readListPrices(text)).toThrow(why);
	});

	it("rejects prices that the floor would reject, and prices far above the list price", () => {
		const usd = (share: number): string => (LIST * share).toFixed(6);
		expect(() => readListPrices(HEAD + line(usd(0.19)))).toThrow(
			/line 2: a price was refused: .* is below a fifth of the shipped list price/,
		);
		expect(readListPrices(HEAD + line(usd(0.21))).rows).toHaveLength(1);
		expect(() => readListPrices(HEAD + line(usd(0.049), { capacity: "spot" }))).toThrow(/line 2: a price was refused: .* is below 5%/);
		expect(readListPrices(HEAD + line(usd(0.051), { capacity: "spot" })).rows).toHaveLength(1);
		expect(() => readListPrices(HEAD + line(usd(10.1)))).toThrow(/line 2: .* is more than 10 times the shipped list price/);
	});
});
