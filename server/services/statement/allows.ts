import { SpillwayError } from "#server/kernel/errors.ts";
import { authorize, type Permission } from "../authorize.ts";
import type { ServiceContext } from "../context.ts";

/** What a page offers only to who may do it; the verb itself asks again. */
export function allows(ctx: Pick<ServiceContext, "actor">, permission: Permission, team: string | null): boolean {
	try {
		authorize(ctx, permission, team);
		return true;
	} catch (error) {
		if (error instanceof SpillwayError && error.code === "forbidden") return false;
		throw error;
	}
}
