import type { CompanySpec } from "#server/domain/company-schema.ts";
import { listTeamDetails, type TeamView } from "../team/list.ts";
import { createTeam, deleteTeam, updateTeam } from "../team/manage.ts";
import { type Change, type CompanyContext, differences, type PlanPart } from "./change.ts";

type Team = NonNullable<CompanySpec["teams"]>[number];
type Details = Pick<TeamView, "title" | "costCenter" | "parent">;

const detailsOf = (team: Pick<Team, "title" | "costCenter" | "parent">): Details => ({
	...{ title: team.title ?? null, costCenter: team.costCenter ?? null, parent: team.parent ?? null },
});

/** Parents are created before their sub-teams, and removed after them. */
export async function planTeams(ctx: CompanyContext, wanted: readonly Team[], prune: boolean): Promise<PlanPart> {
	const known = new Map((await listTeamDetails(ctx)).map((team) => [team.name, team]));
	const names = new Set(wanted.map((team) => team.name));
	const problems = wanted.flatMap(({ parent }, index) =>
		parent === undefined || names.has(parent) || (known.has(parent) && !prune)
			? []
			: [{ at: ["spec", "teams", index, "parent"], message: `There is no team "${parent}". Add it to the file.` }],
	);
	const changes = parentsFirst(wanted).flatMap((team): Change[] => {
		const before = known.get(team.name);
		const details = detailsOf(team);
		const fields = differences(before ? detailsOf({ ...withoutNulls(before) }) : null, { ...details });
		if (!before)
			return [
				{ ...{ kind: "team", id: team.name, action: "create", fields }, apply: (at) => createTeam(at, { name: team.name, ...details }) },
			];
		if (fields.length === 0) return [];
		return [{ ...{ kind: "team", id: team.name, action: "update", fields }, apply: (at) => updateTeam(at, team.name, details) }];
	});
	const removed = prune
		? parentsFirst([...known.values()].map(withoutNulls))
				.filter(({ name }) => !names.has(name))
				.reverse()
		: [];
	return {
		changes: [
			...changes,
			...removed.map(
				({ name }): Change => ({ ...{ kind: "team", id: name, action: "remove", fields: [] }, apply: (at) => deleteTeam(at, name) }),
			),
		],
		skipped: [],
		problems,
	};
}

function withoutNulls({ name, title, costCenter, parent }: TeamView): Team {
	return { name, title: title ?? undefined, costCenter: costCenter ?? undefined, parent: parent ?? undefined };
}

/** Stable; teams in a cycle keep their order, and the service rejects them. */
function parentsFirst<T extends { name: string; parent?: string | undefined }>(teams: readonly T[]): T[] {
	const left = [...teams];
	const done: T[] = [];
	while (left.length > 0) {
		const waiting = new Set(left.map((team) => team.name));
		const next = left.findIndex(({ parent }) => parent === undefined || !waiting.has(parent));
		done.push(...left.splice(Math.max(next, 0), 1));
	}
	return done;
}
