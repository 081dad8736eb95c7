import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RestWorld } from "../testing/rest-world.ts";

let world: RestWorld;
beforeAll(async () => {
	world = await RestWorld.open();
});
afterAll(() => world.close());

describe("GET /carbon", () => {
	it("returns sums as decimal strings, by a dimension and filtered", async () => {
		const { status, json } = await world.get("/carbon?from=2026-11-01&to=2026-12-01&groupBy=region&capacityType=spot", { as: "finance" });
		expect(status).toBe(200);
		expect(json).toMatchObject({ groupBy: "region", zone: "UTC", totals: { totalMilligrams: expect.stringMatching(/^\d+$/) } });
		expect(Array.isArray(json.items)).toBe(true);
	});

	it.each([
		["/carbon?groupBy=colour", "groupBy"],
		["/carbon?from=2026-11-02&to=2026-11-01", "from"],
		["/carbon?capacityType=free", "capacityType"],
		["/carbon?colour=red", "colour"],
	])("rejects %s and names the parameter", async (path, field) => {
		const { status, json } = await world.get(path, { as: "finance" });
		expect(status).toBe(400);
		expect(json.fields[0].path).toContain(field);
	});

	it("includes the counterfactuals and the grid", async () => {
		expect((await world.get("/carbon/avoided", { as: "finance" })).json).toMatchObject({ removedOffer: null });
		expect((await world.get("/carbon/intensities", { as: "finance" })).json.places.length).toBeGreaterThan(0);
	});
});

describe("POST /carbon/intensities", () => {
	const post = (body: unknown, as: "finance" | "scientist" = "finance") => world.call("POST", "/api/v1/carbon/intensities", { as, body });

	it("imports hours once, for anyone who may change rates", async () => {
		const text = "zone,ts,g_per_kwh\nDE,2030-01-01T00:00:00Z,300\n";
		expect(await post({ text, source: "x" })).toMatchObject({
			status: 200,
			json: { added: 1, note: expect.stringContaining("already written") },
		});
		expect((await post({ text, source: "x" })).json).toMatchObject({ added: 0, unchanged: 1 });
		expect((await post({ text, source: "x" }, "scientist")).status).toBe(403);
	});

	it("reports what is wrong with a file or the request", async () => {
		expect((await post({ text: "a,b\n1,2\n", source: "x" })).json).toMatchObject({
			status: 400,
			fix: expect.stringContaining("names the columns"),
		});
		expect((await post({ source: "x" })).status).toBe(400);
	});
});
