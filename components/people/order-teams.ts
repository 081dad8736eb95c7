/**
 * Teams with each parent before its sub-teams, and their depth. Sub-teams of a parent missing from the list are at the
 * top level.
 */
export function orderTeams<Team extends { name: string; parent: string | null }>(teams: readonly Team[]): { team: Team; depth: number }[] {
	const names = new Set(teams.map((team) => team.name));
	const children = Map.groupBy(teams, ({ parent }) => (parent !== null && names.has(parent) ? parent : null));
	const below = (parent: string | null, depth: number): { team: Team; depth: number }[] =>
		(children.get(parent) ?? []).flatMap((team) => [{ team, depth }, ...below(team.name, depth + 1)]);
	return below(null, 0);
}
