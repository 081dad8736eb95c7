import { describe, expect, it } from "vitest";
import { ROUTES } from "#server/api/rest/routes.ts";
import { PERMISSION_AREAS } from "#server/domain/custom-role.ts";
import { OPERATIONS } from "./operations.ts";

const shapeOf = (path: string) => path.replace(/\{\w+\}/g, "{}");

describe("operations", () => {
	it("have unique ids and unique methods and paths", () => {
		expect(new Set(OPERATIONS.map((o) => o.id)).size).toBe(OPERATIONS.length);
		expect(new Set(OPERATIONS.map((o) => `${o.method} ${shapeOf(o.path)}`)).size).toBe(OPERATIONS.length);
	});

	it("are the REST routes, with the same permissions", () => {
		const line = (o: { method: string; path: string; permission: string }) => `${o.method} ${shapeOf(o.path)} ${o.permission}`;
		expect(OPERATIONS.map(line).sort()).toEqual(ROUTES.map(line).sort());
	});

	it("each need one permission, which a custom role can contain or leave out", () => {
		const known = new Set(Object.values(PERMISSION_AREAS).flatMap((area) => Object.keys(area)));
		expect(OPERATIONS.filter((o) => !known.has(o.permission)).map((o) => o.id)).toEqual([]);
	});

	it("list their path parameters and whether teams matter", () => {
		const byId = new Map(OPERATIONS.map((o) => [o.id, o]));
		expect(byId.get("rates.get")).toMatchObject({ parameters: ["siteId", "poolId"], scope: "company" });
		expect(byId.get("job.get")).toMatchObject({ parameters: ["id"], scope: "team" });
	});
});
