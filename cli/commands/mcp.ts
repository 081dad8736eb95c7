import { badInput } from "../args.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit.ts";

const LIMIT_MAX_USD = 1e9;

export const mcp: Command = {
	name: "mcp",
	usage: "[--limit-usd USD]",
	summary: "serve quote, submit, explain, logs and spend to agents over the Model Context Protocol",
	details:
		"Uses stdin and stdout, with the rights of the token. Its jobs together may spend up to the limit in clouds; jobs beyond it wait for approval.",
	options: { "limit-usd": { value: "USD", help: "spending limit of this process (default: SPILLWAY_MCP_LIMIT_USD, or 0)" } },
	positionals: { min: 0, max: 0, name: "" },
	examples: ["spillway mcp --limit-usd 50"],
	async run(ctx) {
		const limitUsd = limitOf(ctx.args.text("limit-usd"), ctx.io.env.SPILLWAY_MCP_LIMIT_USD);
		// Other commands do not load the SDK.
		const [{ StdioServerTransport }, { buildMcpServer }] = await Promise.all([
			import("@modelcontextprotocol/sdk/server/stdio.js"),
			import("../mcp/server.ts"),
		]);
		const server = buildMcpServer(ctx, limitUsd);
		const ended = new Promise<void>((resolve) => {
			server.server.onclose = resolve;
			process.stdin.once("end", resolve);
			ctx.io.signal.addEventListener("abort", () => resolve());
		});
		await server.connect(new StdioServerTransport());
		await ended;
		await server.close();
		return EXIT.done;
	},
};

function limitOf(flag: string | undefined, setting: string | undefined): number {
	const [source, text] = flag !== undefined ? ["--limit-usd", flag] : ["SPILLWAY_MCP_LIMIT_USD", setting || "0"];
	const amount = /^\d{1,10}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
	if (!(amount <= LIMIT_MAX_USD)) throw badInput(`${source}: "${text}" is not an amount such as 50 or 12.5, at most ${LIMIT_MAX_USD}.`);
	return amount;
}
