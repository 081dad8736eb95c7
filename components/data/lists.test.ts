import { describe, expect, it } from "vitest";
import { copiesOf, entryErrorsOf, type Lists, withCopy, withoutCopy, withoutStore, withStore } from "./lists.ts";

const eu = { set: "s3://acme/a", at: "aws:eu-west-1", uri: "s3://acme-eu/a" };
const home = { set: "s3://acme/a", at: "home", uri: "file:///a" };
const none: Lists = { items: [], stores: [] };

describe("copies of data sets", () => {
	it("are added to their data set, and replace the one at the same place", () => {
		const both = withCopy(withCopy(none, eu), home);
		expect(both.items).toHaveLength(1);
		expect(copiesOf(both)).toEqual([eu, home]);
		expect(copiesOf(withCopy(both, { ...eu, uri: "s3://other/a" }))).toEqual([home, { ...eu, uri: "s3://other/a" }]);
	});

	it("keep the days that their data set stays current, until others are entered", () => {
		const both = withCopy(withCopy(none, { ...eu, freshDays: 30 }), home);
		expect(both.items).toEqual([expect.objectContaining({ uri: eu.set, freshDays: 30 })]);
		expect(copiesOf(withCopy(both, { ...home, freshDays: 7 })).map(({ freshDays }) => freshDays)).toEqual([7, 7]);
		expect(withoutCopy(both, eu).items[0]?.freshDays).toBe(30);
	});

	it("are removed, and the data set with its last one", () => {
		const both = withCopy(withCopy(none, eu), home);
		expect(copiesOf(withoutCopy(both, eu))).toEqual([home]);
		expect(withoutCopy(withoutCopy(both, eu), home).items).toEqual([]);
	});
});

it("keeps one store for each region", () => {
	const store = { at: "aws:eu-west-1", uri: "s3://acme-stage/x" };
	const lists = withStore(withStore(none, store), { ...store, usdPerGiBMonth: 0.023 });
	expect(lists.stores).toEqual([{ ...store, usdPerGiBMonth: 0.023 }]);
	expect(withoutStore(lists, store.at).stores).toEqual([]);
});

it("finds the field of each error by its path, as the contract and the service name it", () => {
	const error = (path: string) => ({ data: { problem: { fields: [{ path, message: "is wrong" }] } } });
	const fieldsOf = (path: string) =>
		Object.entries(entryErrorsOf(error(path)))
			.filter(([, message]) => message === "is wrong")
			.map(([field]) => field);
	expect(fieldsOf("next.items.2.uri")).toEqual(["set"]);
	expect(fieldsOf("next.items.2.copies.0.uri")).toEqual(["uri"]);
	expect(fieldsOf("items.2.copies.0.at")).toEqual(["at"]);
	expect(fieldsOf("next.stores.0.uri")).toEqual(["uri"]);
	expect(fieldsOf("next.stores.0.writeUri")).toEqual(["writeUri"]);
});
