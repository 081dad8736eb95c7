import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { audit } from "#server/db/schema/audit.ts";
import { ImportedPrices } from "#server/providers/live-prices/imported-prices.ts";
import { listOffers } from "#server/rates/offers.ts";
import { type Books, openBooks } from "#server/services/ledger/charge/testing/books.ts";
import { importPrices, listPriceSnapshots, readImportedPrices } from "./import-prices.ts";

let books: Books;
beforeAll(async () => {
	books = await openBooks(Date.UTC(2027, 0, 10, 10));
});
afterAll(() => books.database.drop());

const P5 = listOffers("aws").find(({ instanceType, region }) => instanceType === "p5.48xlarge" && region === "us-east-1");
const usd = (share: number): string => ((Number(P5?.onDemand.microUsdPerHour) / 1e6) * share).toFixed(6);
const file = (...lines: [share: number, day: string][]): string =>
	[
		"provider,instance_type,region,capacity_type,usd_per_hour,as_of",
		...lines.map(([share, day]) => `aws,p5.48xlarge,us-east-1,on_demand,${usd(share)},${day}`),
	].join("\n");
const take = (text: string) => importPrices(books, { text, message: "AWS price list" });

it("imports prices once, keeps the newest, and records who imported them", async () => {
	expect(await take(file([0.9, "2027-01-09"]))).toEqual({
		...{ providers: ["aws"], from: "2027-01-09", to: "2027-01-09", added: 1, replaced: 0, unchanged: 0, older: 0, ignored: 0 },
	});
	expect(await take(file([0.9, "2027-01-09"]))).toMatchObject({ added: 0, unchanged: 1 });
	expect(await take(file([0.8, "2027-01-08"]))).toMatchObject({ older: 1, replaced: 0 });
	expect(await take(file([0.8, "2027-01-10"]))).toMatchObject({ replaced: 1 });
	await expect(take(file([0.8, "2027-01-12"]))).rejects.toThrow("2027-01-12, which is in the future");
	expect(await listPriceSnapshots(books)).toEqual([
		{
			...{ provider: "aws", source: "AWS price list", prices: 1, from: "2027-01-10", to: "2027-01-10" },
			...{ importedBy: "system:seed", importedAt: new Date(books.clock.nowMs()) },
		},
	]);
	expect(await books.db.$count(audit, eq(audit.action, "prices.import"))).toBe(4);
});

it("gives drivers the imported prices over older shipped ones, until a newer version", async () => {
	const read = await readImportedPrices(books.db, null);
	expect(await readImportedPrices(books.db, read?.version ?? null)).toBeNull();
	const imported = new ImportedPrices();
	const shipped = listOffers("aws");
	const priceAt = (region: string) =>
		imported.over("aws", shipped).find((rate) => rate.instanceType === "p5.48xlarge" && rate.region === region)?.onDemand;
	expect(imported.over("aws", shipped)).toBe(shipped);
	imported.set(read?.prices ?? []);
	expect(priceAt("us-east-1")).toMatchObject({ source: "AWS price list", asOf: "2027-01-10" });
	expect(priceAt("us-west-2")?.source).not.toBe("AWS price list");
	imported.set((read?.prices ?? []).map((price) => ({ ...price, asOf: "2020-01-01" })));
	expect(priceAt("us-east-1")?.microUsdPerHour).toBe(P5?.onDemand.microUsdPerHour);
	imported.set((read?.prices ?? []).map((price) => ({ ...price, microUsdPerHour: price.microUsdPerHour / 100n })));
	expect(priceAt("us-east-1")?.source).toContain("was refused");
});

it("requires the permission to change rates, before it reads the file", async () => {
	const actor = {
		kind: "person" as const,
		accountId: "usr_1",
		name: "A",
		role: "data_scientist" as const,
		teams: [],
		via: "token" as const,
	};
	await expect(importPrices({ ...books, actor }, { text: "", message: "" })).rejects.toThrow(/rates:change/);
});
