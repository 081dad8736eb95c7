import { expect, it } from "vitest";
import { GRANTS } from "#server/domain/permissions.ts";
import { ROLES } from "#server/domain/vocabulary.ts";
import type { Actor } from "#server/services/core/context.ts";
import { permissionOf } from "./procedure-permissions.ts";
import { appRouter } from "./router.ts";

const paths = Object.keys(appRouter._def.procedures);

it("every procedure has a permission, or is deliberately open to every signed-in person", () => {
	expect(paths.filter((path) => permissionOf(path) === undefined)).toEqual([]);
	expect(paths.filter((path) => permissionOf(path) === null).sort()).toEqual(["changes", "me"]);
});

it("every procedure rejects roles without its permission before parsing the input", async () => {
	let refused = 0;
	for (const role of ROLES) {
		const actor: Actor = { kind: "person", accountId: "usr_x", name: "x", role, teams: ["x"], via: "session" };
		const caller = appRouter.createCaller({ actor, requestId: "r", source: null }) as unknown as Record<string, unknown>;
		for (const path of paths) {
			const permission = permissionOf(path);
			if (!permission || GRANTS[role][permission] !== undefined) continue;
			refused++;
			const call = path.split(".").reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], caller) as (
				input: unknown,
			) => Promise<unknown>;
			await expect(call({ nonsense: 1 }), `${role} ${path}`).rejects.toMatchObject({ code: "FORBIDDEN" });
		}
	}
	expect(refused).toBeGreaterThan(30);
});
