import { readFile } from "node:fs/promises";
import path from "node:path";
import { checkStepSchema, siteSchema } from "#server/contract/outputs/capacity.ts";
import { pageOf } from "#server/contract/parts.ts";
import { readYaml } from "#server/domain/read-yaml.ts";
import { usdToMicro } from "#server/kernel/money.ts";
import { badInput, type Options } from "../args.ts";
import { readAs } from "../client.ts";
import type { Command, CommandContext } from "../command.ts";
import { CliError, EXIT, type ExitCode, oneLine } from "../exit.ts";
import { money } from "../render/format.ts";
import { styled } from "../render/style.ts";
import { heading } from "../render/table.ts";
import { findingsOf } from "../site-check.ts";
import { showNodes } from "./site-nodes.ts";
import { showQueue } from "./site-queue.ts";
import { sites } from "./sites.ts";

/** Settings and key files are a few kB. */
const FILE_BYTES_MAX = 256_000;

const OPTIONS: Options = {
	provider: { value: "NAME", help: "aws, azure, gcp, kubernetes, slurm or local" },
	name: { value: "TEXT", help: "display name (default: the id)" },
	file: { short: "f", value: "FILE", help: "settings as YAML or JSON; - reads stdin" },
	set: { value: "KEY=VALUE", many: true, help: "one setting, as JSON or text; repeatable" },
	credentials: { value: "FILE", help: "JSON file with the credentials, which are stored encrypted" },
	"credentials-file": { value: "PATH", help: "or the path of such a file on the server, which reads it" },
	"credentials-variable": { value: "NAME", help: "or the server's variable SPILLWAY_SITE_… that contains them" },
	"credentials-chain": { help: "or the provider SDK's default chain on the server (default)" },
	"no-check": { help: "store without checking first" },
	seen: { help: "check: the scheduler's last result, without contacting the site" },
	usd: { value: "AMOUNT", help: "price: cost of one GPU-hour, in dollars" },
	watts: { value: "N", help: "price: watts of a busy GPU (default: the model's)" },
};

type Verb = (ctx: CommandContext, id: string) => Promise<ExitCode>;
const VERBS: Readonly<Record<string, Verb>> = {
	add,
	change,
	check,
	enable: (ctx, id) => changeTo(ctx, id, { enabled: true }, "enabled"),
	disable: (ctx, id) =>
		changeTo(ctx, id, { enabled: false }, "disabled: no new jobs are placed there; running ones are monitored to their end"),
	rm: remove,
	price,
	nodes: showNodes,
	queue: showQueue,
};

export const site: Command = {
	name: "site",
	usage:
		"ls | add SITE --provider NAME … | change SITE … | check SITE | enable SITE | disable SITE | rm SITE | price SITE/POOL --usd AMOUNT | nodes SITE | queue SITE",
	summary: "connect, check and manage sites (cloud accounts and clusters)",
	details:
		"add and change check first, and store nothing if a step fails. check contacts the site now; --seen shows the scheduler's last result. Both exit with 5 if a step fails.",
	options: OPTIONS,
	positionals: { min: 1, max: 2, name: "VERB SITE" },
	examples: [
		"spillway site ls",
		"spillway site add cluster --provider slurm -f slurm.json",
		"spillway site check cluster",
		"spillway site price cluster/gpu-h100x8 --usd 1.90",
	],
	async run(ctx) {
		const [verb = "", id] = ctx.args.positionals;
		if (verb === "ls" && id === undefined) return sites.run(ctx);
		const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
		if (run && id !== undefined) return run(ctx, id);
		throw badInput(
			`There is no "site ${[verb, id].filter(Boolean).join(" ")}". There are: ls, ${Object.keys(VERBS).join(" SITE, ")} SITE.`,
		);
	},
};

async function add(ctx: CommandContext, id: string): Promise<ExitCode> {
	const { args, client, io, json } = ctx;
	const provider = args.text("provider");
	if (provider === undefined) throw badInput("Name the provider: --provider aws, azure, gcp, kubernetes, slurm or local.");
	const settings = (await settingsGiven(ctx)) ?? {};
	const credentials = await credentialsGiven(ctx);
	const draft = { provider, settings, ...(credentials && { credentials }) };
	if (!args.has("no-check") && !(await stepsPass(ctx, "/sites/check", draft)))
		throw new CliError(EXIT.conflict, "Nothing was stored. Fix what failed, or use --no-check.");
	const answer = await client.post("/sites", { id, name: args.text("name") ?? id, ...draft });
	if (json) io.out(`${answer.text}\n`);
	else io.out(`${id} is connected. The scheduler opens it within seconds: spillway site check ${id} --seen\n`);
	return EXIT.done;
}

async function change(ctx: CommandContext, id: string): Promise<ExitCode> {
	const { args } = ctx;
	const name = args.text("name");
	const settings = await settingsGiven(ctx, id);
	const credentials = await credentialsGiven(ctx);
	const changes = { ...(name !== undefined && { name }), ...(settings && { settings }), ...(credentials && { credentials }) };
	if (Object.keys(changes).length === 0) throw badInput("Name what to change: --name, -f, --set or one of --credentials….");
	const { name: _, ...draft } = changes;
	if (!args.has("no-check") && (settings || credentials) && !(await stepsPass(ctx, `/sites/${encodeURIComponent(id)}/check`, draft)))
		throw new CliError(EXIT.conflict, "Nothing was changed. Fix what failed, or use --no-check.");
	return changeTo(ctx, id, changes, "changed. The scheduler reopens it within seconds.");
}

async function changeTo({ client, io, json }: CommandContext, id: string, changes: object, said: string): Promise<ExitCode> {
	const answer = await client.patch(`/sites/${encodeURIComponent(id)}`, changes);
	io.out(json ? `${answer.text}\n` : `${id} ${said}\n`);
	return EXIT.done;
}

async function remove({ client, io, json }: CommandContext, id: string): Promise<ExitCode> {
	const answer = await client.delete(`/sites/${encodeURIComponent(id)}`);
	io.out(json ? `${answer.text}\n` : `${id} and its credentials removed\n`);
	return EXIT.done;
}

async function price({ args, client, io, json }: CommandContext, place: string): Promise<ExitCode> {
	const [siteId, poolId, more] = place.split("/");
	const usdPerGpuHour = args.text("usd");
	if (!siteId || !poolId || more !== undefined) throw badInput(`"${place}" is not a pool. Use SITE/POOL.`);
	if (usdPerGpuHour === undefined) throw badInput("Give the cost of one GPU-hour in dollars, for example --usd 1.90");
	const wattsPerGpu = args.wholeNumber("watts", { min: 1, max: 5_000 });
	const path_ = `/sites/${encodeURIComponent(siteId)}/pools/${encodeURIComponent(poolId)}`;
	const answer = await client.put(path_, { usdPerGpuHour, ...(wattsPerGpu !== undefined && { wattsPerGpu }) });
	io.out(json ? `${answer.text}\n` : `${place} costs ${money(String(usdToMicro(usdPerGpuHour)))} per GPU-hour and can be used now\n`);
	return EXIT.done;
}

async function check(ctx: CommandContext, id: string): Promise<ExitCode> {
	if (!ctx.args.has("seen")) return (await stepsPass(ctx, `/sites/${encodeURIComponent(id)}/check`, {})) ? EXIT.done : EXIT.conflict;
	const { client, io, json } = ctx;
	const { items } = readAs(pageOf(siteSchema), await client.get("/sites"), "list of sites");
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

const MARKS = { passed: ["ok ", "green"], failed: ["NO ", "red"], unknown: ["?  ", "yellow"], skipped: ["-  ", "dim"] } as const;

/** Prints each step as it ends. With --json, prints the server's lines unchanged. */
async function stepsPass({ client, io, json }: CommandContext, at: string, draft: object): Promise<boolean> {
	let pass = true;
	for await (const line of client.lines(at, {}, { body: draft })) {
		const step = checkStepSchema.parse(JSON.parse(line));
		if (step.outcome === "failed") pass = false;
		if (json) {
			io.out(`${line}\n`);
			continue;
		}
		const [mark, style] = Object.hasOwn(MARKS, step.outcome) ? MARKS[step.outcome as keyof typeof MARKS] : MARKS.unknown;
		io.out(`${styled(io, style, mark)} ${step.title}: ${oneLine(step.found)}\n`);
		if (step.fix !== null) io.out(`    ${step.fix}\n`);
	}
	return pass;
}

/** From the file and the single settings, which take precedence; with `id`, single settings override the stored ones. */
async function settingsGiven({ args, io, client }: CommandContext, id?: string): Promise<Record<string, unknown> | null> {
	const file = args.text("file");
	const singles = args.list("set");
	if (file === undefined && singles.length === 0) return null;
	const stored = id === undefined || file !== undefined ? {} : storedSettings((await client.get(`/sites/${encodeURIComponent(id)}`)).json);
	const whole = file === undefined ? stored : asObject(yamlOf(await read(io, file), file), file);
	return { ...whole, ...Object.fromEntries(singles.map(single)) };
}

function storedSettings(json: unknown): Record<string, unknown> {
	return typeof json === "object" && json !== null && "settings" in json ? asObject(json.settings, "the site's settings") : {};
}

function single(text: string): [string, unknown] {
	const at = text.indexOf("=");
	if (at < 1) throw badInput(`--set: "${text}" is not KEY=VALUE.`);
	const value = text.slice(at + 1);
	try {
		return [text.slice(0, at), JSON.parse(value)];
	} catch {
		return [text.slice(0, at), value];
	}
}

async function credentialsGiven({ args, io }: CommandContext): Promise<Record<string, unknown> | null> {
	const file = args.text("credentials");
	const onServer = args.text("credentials-file");
	const variable = args.text("credentials-variable");
	const given = [file, onServer, variable, args.has("credentials-chain") ? "" : undefined].filter((g) => g !== undefined);
	if (given.length > 1) throw badInput("Give credentials in only one way.");
	if (file !== undefined) return { kind: "stored", values: asObject(jsonOf(await read(io, file), file), file) };
	if (onServer !== undefined) return { kind: "file", path: onServer };
	if (variable !== undefined) return { kind: "environment", name: variable };
	return args.has("credentials-chain") ? { kind: "chain" } : null;
}

async function read(io: CommandContext["io"], file: string): Promise<string> {
	if (file === "-") return io.readStdin(FILE_BYTES_MAX);
	try {
		return await readFile(path.resolve(io.cwd, file), "utf8");
	} catch (error) {
		throw badInput(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
	}
}

function yamlOf(text: string, file: string): unknown {
	const { doc, problems } = readYaml(text);
	if (!doc) throw badInput(`${file} is neither YAML nor JSON: ${problems[0]?.message ?? "it cannot be read"}.`);
	return doc.toJS();
}

/** Omits the parser's message, which quotes the text it cannot parse. */
function jsonOf(text: string, file: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		throw badInput(`${file} is not JSON.`);
	}
}

function asObject(value: unknown, what: string): Record<string, unknown> {
	if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
	throw badInput(`${what} contains no settings object.`);
}
