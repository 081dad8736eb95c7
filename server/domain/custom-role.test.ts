import { expect, it } from "vitest";
import { hasPermission, isBuiltIn, PERMISSION_AREAS, permissionsFor } from "./custom-role.ts";
import { GRANTS, PERMISSIONS } from "./permissions.ts";
import { ROLES } from "./vocabulary.ts";

it("every permission is in one area, with a description", () => {
	const shown = Object.values(PERMISSION_AREAS).flatMap((area) => Object.keys(area));
	expect(shown.sort()).toEqual([...PERMISSIONS].sort());
});

it("a custom role contains at most its base's permissions, and never the management of people", () => {
	for (const role of ROLES) {
		expect(permissionsFor(role).filter((permission) => GRANTS[role][permission] === undefined)).toEqual([]);
		expect(permissionsFor(role)).not.toContain("account:manage");
	}
	expect([isBuiltIn("finance"), isBuiltIn("operator"), isBuiltIn("toString")]).toEqual([true, false, false]);
});

it("a person has a permission only if both the built-in and the custom role contain it", () => {
	const customRole = { name: "operator", permissions: ["job:read", "statement:sign"] } as const;
	expect(hasPermission({ role: "platform" }, "site:manage")).toBe(true);
	expect(hasPermission({ role: "platform", customRole }, "site:manage")).toBe(false);
	expect(hasPermission({ role: "platform", customRole }, "job:read")).toBe(true);
	expect(hasPermission({ role: "data_scientist", customRole }, "statement:sign")).toBe(false);
});
