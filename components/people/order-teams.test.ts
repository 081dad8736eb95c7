import { expect, it } from "vitest";
import { orderTeams } from "./order-teams.ts";

it("lists sub-teams below their parent", () => {
	const teams = [
		{ name: "a", parent: "research" },
		{ name: "b", parent: "a" },
		{ name: "risk", parent: "hidden" },
		{ name: "research", parent: null },
	];
	expect(orderTeams(teams).map(({ team, depth }) => `${depth} ${team.name}`)).toEqual(["0 risk", "0 research", "1 a", "2 b"]);
});
