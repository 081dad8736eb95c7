import { badInput } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command } from "../command.ts";
import { EXIT, oneLine } from "../exit.ts";
import { exactTime } from "../render/format.ts";
import { policyShape } from "../shapes.ts";

export const policy: Command = {
	name: "policy",
	usage: "show [NAME]",
	summary: "print the policy in force as YAML (default: the one named default)",
	options: {},
	positionals: { min: 1, max: 2, name: "show" },
	examples: ["spillway policy show", "spillway policy show default > policy.yaml"],
	async run(ctx) {
		const [verb = "", name = "default"] = ctx.args.positionals;
		if (verb !== "show") throw badInput(`There is no "policy ${verb}". There is: policy show [NAME].`);
		const answer = await ctx.client.get(`/policies/${encodeURIComponent(name)}`);
		if (ctx.json) {
			ctx.io.out(`${answer.text}\n`);
			return EXIT.done;
		}
		const p = readAs(policyShape, answer, "policy");
		const published = exactTime(Date.parse(p.publishedAt));
		// Comments, so that what is printed is a policy file.
		ctx.io.out(`# ${p.name} v${p.version}, published ${published} by ${oneLine(p.author)}: ${oneLine(p.message)}\n${p.source.trimEnd()}\n`);
		return EXIT.done;
	},
};
