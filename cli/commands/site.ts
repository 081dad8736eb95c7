import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { CliError, EXIT, type ExitCode } from "../exit.ts";
import { styled } from "../render/style.ts";
import { heading } from "../render/table.ts";
import { pageOf, siteShape } from "../shapes.ts";
import { findingsOf } from "../site-check.ts";
import { sites } from "./sites.ts";

export const site: Command = {
	name: "site",
	usage: "ls | check SITE",
	summary: "show the sites, or why one takes no jobs",
	details: "check tells what the scheduler last saw of a site, and exits with 5 when something of it is not as it should be.",
	options: {},
	positionals: { min: 1, max: 2, name: "VERB SITE" },
	examples: ["spillway site ls", "spillway site check cluster"],
	async run(ctx) {
		const [verb, id] = ctx.args.positionals;
		if (verb === "ls" && id === undefined) return sites.run(ctx);
		if (verb === "check" && id !== undefined) return check(ctx, id);
		throw badInput(`There is no "site ${[verb, id].filter(Boolean).join(" ")}". There are: site ls, site check SITE.`);
	},
};

async function check({ client, io, json }: CommandContext, id: string): Promise<ExitCode> {
	const { items } = readAs(pageOf(siteShape), await client.get("/sites"), "list of sites");
	const found = items.find((s) => s.id === id);
	if (!found) throw new CliError(EXIT.notFound, `There is no site "${id}". There are: ${items.map((s) => s.id).join(", ") || "none"}.`);
	const findings = findingsOf(found, io.nowMs());
	if (json) {
		io.out(`${JSON.stringify({ site: id, findings })}\n`);
	} else {
		io.out(`${heading(io, `${found.id}: ${found.name} (${found.provider})`)}\n`);
		for (const { good, text } of findings) io.out(`${good ? styled(io, "green", "ok ") : styled(io, "red", "NO ")} ${text}\n`);
	}
	return findings.every((f) => f.good) ? EXIT.done : EXIT.conflict;
}
