import { describe, expect, it } from "vitest";
import { NEEDED_COLUMNS, readBillHeader } from "./bill-header.ts";

describe("a bill's header", () => {
	it.each([
		["1.0", []],
		["1.1", ["ServiceSubcategory"]],
		["1.2", ["ServiceSubcategory", "InvoiceId"]],
		["1.0", ["x_Own"]],
		["1.3", ["ServiceProviderName", "HostProviderName", "InvoiceId"]],
		["1.4", ["InvoiceDetailId"]],
	])("is read as FOCUS %s with %j added to the columns of all versions", (version, more) => {
		expect(readBillHeader([...NEEDED_COLUMNS, "ProviderName", ...more])).toMatchObject({ version, providerColumn: "ProviderName" });
	});

	it("of FOCUS 1.4 names the provider in a different column", () => {
		expect(readBillHeader([...NEEDED_COLUMNS, "ServiceProviderName"])).toMatchObject({
			version: "1.4",
			providerColumn: "ServiceProviderName",
		});
		expect(readBillHeader(NEEDED_COLUMNS)).toMatchObject({ column: "ProviderName" });
	});

	it.each(NEEDED_COLUMNS.map((name) => [name]))("without %s is rejected by name", (name) => {
		expect(readBillHeader([...NEEDED_COLUMNS, "ProviderName"].filter((n) => n !== name))).toEqual({
			column: name,
			message: `not a FOCUS file: it has no column ${name}`,
		});
	});

	it("with a duplicate or unnamed column is rejected, naming it", () => {
		expect(readBillHeader([...NEEDED_COLUMNS, "ProviderName", "BilledCost"])).toEqual({
			column: "BilledCost",
			message: "the column is there twice",
		});
		expect(readBillHeader(["", ...NEEDED_COLUMNS, "ProviderName"])).toEqual({ column: "#1", message: "a column has no name" });
	});
});
