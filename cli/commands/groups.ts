import type { z } from "zod";
import { groupMapping } from "#server/contract/group-mapping.ts";
import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT, type ExitCode, oneLine } from "../exit.ts";
import { NONE } from "../render/format.ts";
import { table } from "../render/table.ts";

type Mapping = z.output<typeof groupMapping.list.output>["mappings"][number];

export const groups: Command = {
	name: "groups",
	usage: "ls | set GROUP [--role ROLE] [--team NAME] | rm GROUP | check GROUP…",
	summary: "map identity provider groups to roles and teams",
	details: "set replaces the group's mapping. SCIM members change immediately, others at their next sign-in.",
	options: {
		role: { value: "ROLE", help: "set: platform, data_scientist, finance or a custom role" },
		team: { value: "NAME", help: "set: a team" },
	},
	positionals: { min: 1, max: 201, name: "VERB GROUP" },
	examples: [
		"spillway groups ls",
		"spillway groups set ml-engineers --role data_scientist --team research",
		"spillway groups check ml-engineers everyone",
		"spillway groups rm ml-engineers",
	],
	async run(ctx) {
		const [verb = "", ...given] = ctx.args.positionals;
		const [group] = given;
		if (verb === "ls" && group === undefined) return list(ctx);
		if (verb === "check" && group !== undefined) return check(ctx, given);
		if (verb === "set" && group !== undefined && given.length === 1) return set(ctx, group);
		if (verb === "rm" && group !== undefined && given.length === 1) return remove(ctx, group);
		throw badInput(`There is no "groups ${ctx.args.positionals.join(" ")}". Use ls, set GROUP, rm GROUP, check GROUP….`);
	},
};

async function list({ io, client, json }: CommandContext): Promise<ExitCode> {
	const answer = await client.get("/group-mappings");
	if (json) {
		io.out(`${answer.text}\n`);
		return EXIT.done;
	}
	const { mappings, teamPrefix, seen } = readAs(groupMapping.list.output, answer, "list of groups");
	const columns = [
		{ head: "GROUP", cell: (m: Mapping) => oneLine(m.group) },
		{ head: "ROLE", cell: (m: Mapping) => m.customRole ?? m.role ?? NONE },
		{ head: "TEAM", cell: (m: Mapping) => m.team ?? NONE },
		{ head: "SET IN", cell: (m: Mapping) => (m.source === "process" ? "OIDC_GROUP_MAP" : "settings") },
	];
	io.out(table(io, columns, mappings, { empty: "No groups mapped yet." }));
	if (teamPrefix !== "") io.out(`A group named ${oneLine(teamPrefix)}TEAM grants membership of that team.\n`);
	const unmapped = seen.filter(({ isMapped }) => !isMapped).map(({ group }) => oneLine(group));
	if (unmapped.length > 0) io.out(`Seen by SCIM, not mapped: ${unmapped.join(", ")}\n`);
	return EXIT.done;
}

async function set({ args, client, io, json }: CommandContext, group: string): Promise<ExitCode> {
	const [role, team] = [args.text("role"), args.text("team")];
	if (role === undefined && team === undefined) throw badInput("Give --role, --team or both.");
	const answer = await client.put("/group-mappings", { group, role: role ?? null, team: team ?? null });
	io.out(json ? `${answer.text}\n` : `${group} mapped\n`);
	return EXIT.done;
}

async function remove({ client, io, json }: CommandContext, group: string): Promise<ExitCode> {
	const answer = await client.post("/group-mappings/remove", { group });
	io.out(json ? `${answer.text}\n` : `Mapping of ${group} removed\n`);
	return EXIT.done;
}

/** The rights of a person in all of these groups. */
async function check({ client, io, json }: CommandContext, given: readonly string[]): Promise<ExitCode> {
	const answer = await client.post("/group-mappings/check", { groups: given });
	const { role, customRole, teams, missingTeams, unmapped } = readAs(groupMapping.check.output, answer, "answer");
	const lines = [
		role === null ? "Cannot sign in." : `Role: ${customRole ?? role}. Teams: ${teams.join(", ") || "none"}.`,
		...(missingTeams.length > 0 ? [`Teams that do not exist: ${missingTeams.join(", ")}.`] : []),
		...(unmapped.length > 0 ? [`Not mapped: ${unmapped.map(oneLine).join(", ")}.`] : []),
	];
	io.out(json ? `${answer.text}\n` : `${lines.join("\n")}\n`);
	return EXIT.done;
}
