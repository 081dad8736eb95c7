import { expect, it } from "vitest";
import { permissionsFor } from "#server/domain/custom-role.ts";
import { areasFor, checkRole, withBase } from "./role-draft.ts";

const DRAFT = { name: "operator", base: "platform", permissions: ["job:read", "site:manage"] } as const;

it("offers exactly the permissions that a role with this base may contain", () => {
	for (const base of ["platform", "finance", "data_scientist"] as const) {
		const offered = areasFor(base).flatMap(({ permissions }) => permissions.map(({ permission }) => permission));
		expect(offered.sort()).toEqual(permissionsFor(base).sort());
	}
});

it("drops permissions that another base lacks", () => {
	expect(withBase(DRAFT, "data_scientist")).toEqual({ ...DRAFT, base: "data_scientist", permissions: ["job:read"] });
});

it("requires a valid name and a permission", () => {
	expect(checkRole(DRAFT)).toEqual({});
	expect(Object.keys(checkRole({ ...DRAFT, name: "night shift", permissions: [] }))).toEqual(["name", "permissions"]);
});
