import type { CompanySpec } from "#server/domain/company-schema.ts";
import { ownValue } from "#server/kernel/own-value.ts";
import { readGroupMappings } from "#server/services/core/group-map.ts";
import { removeGroupMapping, setGroupMapping } from "../group-map/change.ts";
import { type Change, type CompanyContext, differences, type PlanPart } from "./change.ts";

type Group = NonNullable<CompanySpec["groups"]>[number];

/**
 * Mappings of OIDC_GROUP_MAP are not part of the plan: a group of the file replaces its mapping there, and `--prune` leaves it.
 * `teams`: names that exist once the file's teams are applied.
 */
export async function planGroups(
	ctx: CompanyContext,
	wanted: readonly Group[],
	{ prune, teams }: { prune: boolean; teams: ReadonlySet<string> },
): Promise<PlanPart> {
	const mappings = await readGroupMappings(ctx.db);
	const changes = wanted.flatMap(({ group, role = null, team = null }): Change[] => {
		const before = ownValue(mappings, group);
		const known = before && { ...before, role: before.customRole ?? before.role };
		const fields = differences(known ?? null, { role, team });
		if (fields.length === 0) return [];
		const action = before ? "update" : "create";
		return [{ ...{ kind: "group", id: group, action, fields }, apply: (at) => setGroupMapping(at, { group, role, team }) }];
	});
	const names = new Set(wanted.map(({ group }) => group));
	const removed = prune
		? Object.keys(mappings)
				.filter((group) => !names.has(group))
				.sort()
		: [];
	return {
		changes: [
			...changes,
			...removed.map(
				(group): Change => ({
					...{ kind: "group", id: group, action: "remove", fields: [] },
					apply: (at) => removeGroupMapping(at, { group }),
				}),
			),
		],
		skipped: [],
		problems: wanted.flatMap(({ team }, index) =>
			team === undefined || teams.has(team)
				? []
				: [{ at: ["spec", "groups", index, "team"], message: `There is no team "${team}". Add it under teams.` }],
		),
	};
}
