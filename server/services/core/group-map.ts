import { eq } from "drizzle-orm";
import { z } from "zod";
import type { DbOrTx, Tx } from "#server/db/client.ts";
import { setting } from "#server/db/schema/setting.ts";
import type { GroupMap } from "#server/domain/group-map.ts";
import { ROLES } from "#server/domain/vocabulary.ts";
import { readLockedSetting, writeSetting } from "./setting.ts";

const KEY = "group_map";

const storedMapping = z.object({
	role: z.enum(ROLES).nullable(),
	/** A custom role based on `role`; it cannot be deleted while a mapping names it. */
	customRole: z.string().nullable().default(null),
	team: z.string().nullable(),
});
const storedSchema = z.record(z.string(), storedMapping);
/** Mappings made in Settings, by group. */
export type StoredMappings = z.output<typeof storedSchema>;

export async function readGroupMappings(db: DbOrTx): Promise<StoredMappings> {
	const [row] = await db.select({ value: setting.value }).from(setting).where(eq(setting.key, KEY));
	return row ? storedSchema.parse(row.value) : {};
}

/** The same, locked, so that changes are serialized. */
export async function lockGroupMappings(tx: Tx): Promise<StoredMappings> {
	return storedSchema.parse((await readLockedSetting(tx, KEY)) ?? {});
}

export async function writeGroupMappings(tx: Tx, mappings: StoredMappings): Promise<void> {
	await writeSetting(tx, KEY, mappings);
}

/** The process's map (OIDC_GROUP_MAP) combined with the mappings from Settings, which take precedence. */
export async function effectiveGroupMap(db: DbOrTx, base: GroupMap): Promise<GroupMap> {
	return mergeGroupMap(base, await readGroupMappings(db));
}

export function mergeGroupMap(base: GroupMap, mappings: StoredMappings): GroupMap {
	const given = Object.entries(mappings);
	const kept = <T>(of: Record<string, T>) => Object.entries(of).filter(([group]) => !Object.hasOwn(mappings, group));
	return {
		roles: Object.fromEntries([...kept(base.roles), ...given.flatMap(([group, { role }]) => (role ? [[group, role] as const] : []))]),
		teams: Object.fromEntries([...kept(base.teams), ...given.flatMap(([group, { team }]) => (team ? [[group, team] as const] : []))]),
		customRoles: Object.fromEntries(given.flatMap(([group, { customRole }]) => (customRole ? [[group, customRole] as const] : []))),
		teamPrefix: base.teamPrefix,
	};
}
