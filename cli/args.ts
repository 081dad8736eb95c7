import { parseArgs } from "node:util";
import { suggestName } from "#server/kernel/nearest-name.ts";
import { CliError, EXIT } from "./exit.ts";

export interface OptionSpec {
	short?: string;
	/** Placeholder for the value in help; without one the option is a switch. */
	value?: string;
	/** Used when the option is given without a value. */
	bare?: string;
	many?: true;
	help: string;
}
export type Options = Readonly<Record<string, OptionSpec>>;

export const GLOBAL_OPTIONS: Options = {
	json: { help: "print exactly the API's JSON" },
	url: { value: "URL", help: "the server (default: SPILLWAY_URL, or port SPILLWAY_PORT of this machine)" },
	token: { value: "TOKEN", help: "the API token (default: SPILLWAY_TOKEN, or the file `token` in SPILLWAY_HOME)" },
	help: { short: "h", help: "show this help" },
};

/** The arguments of one command. Errors name the flag, the value and the allowed values. */
export class Args {
	readonly positionals: readonly string[];
	/** The arguments after `--`; null if there is none. */
	readonly command: readonly string[] | null;
	readonly #values: ReadonlyMap<string, readonly (string | true)[]>;
	constructor(values: ReadonlyMap<string, readonly (string | true)[]>, positionals: readonly string[], command: readonly string[] | null) {
		this.#values = values;
		this.positionals = positionals;
		this.command = command;
	}
	has(name: string): boolean {
		return this.#values.has(name);
	}
	text(name: string): string | undefined {
		const value = this.#values.get(name)?.at(-1);
		return typeof value === "string" ? value : undefined;
	}
	list(name: string): string[] {
		return (this.#values.get(name) ?? []).filter((v) => typeof v === "string");
	}
	wholeNumber(name: string, { min, max }: { min: number; max: number }): number | undefined {
		const text = this.text(name);
		if (text === undefined) return undefined;
		const value = /^[+-]?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
		if (!(value >= min && value <= max)) throw badInput(`--${name}: "${text}" is not a whole number from ${min} to ${max}.`);
		return value;
	}
}

export function badInput(message: string): CliError {
	return new CliError(EXIT.badInput, message);
}

/** Splits the command's name from the rest; global options may precede it. */
export function splitCommand(argv: readonly string[]): { name: string | null; rest: string[] } {
	for (let i = 0; i < argv.length; i++) {
		const word = argv[i] ?? "";
		if (word === "--") break;
		if (!word.startsWith("-")) return { name: word, rest: [...argv.slice(0, i), ...argv.slice(i + 1)] };
		if (GLOBAL_OPTIONS[word.slice(2)]?.value !== undefined) i++;
	}
	return { name: null, rest: [...argv] };
}

/** @throws CliError naming the flag and its nearest match */
export function parseCommandArgs(argv: readonly string[], own: Options): Args {
	const options: Options = { ...own, ...GLOBAL_OPTIONS };
	const end = argv.indexOf("--");
	const before = withBareValues(end < 0 ? argv : argv.slice(0, end), options);
	const { tokens } = parseArgs({
		args: before,
		strict: false,
		allowPositionals: true,
		tokens: true,
		options: Object.fromEntries(
			Object.entries(options).map(([name, o]) => [
				name,
				{ type: o.value === undefined ? ("boolean" as const) : ("string" as const), ...(o.short === undefined ? {} : { short: o.short }) },
			]),
		),
	});
	const values = new Map<string, (string | true)[]>();
	const positionals: string[] = [];
	for (const token of tokens) {
		if (token.kind === "positional") positionals.push(token.value);
		if (token.kind !== "option") continue;
		const spec = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
		if (!spec) throw badInput(unknownFlag(token.rawName, options));
		values.set(token.name, [...(values.get(token.name) ?? []), optionValue(token, spec)]);
	}
	return new Args(values, positionals, end < 0 ? null : argv.slice(end + 1));
}

function withBareValues(argv: readonly string[], options: Options): string[] {
	return argv.map((word, i) => {
		const bare = word.startsWith("--") ? options[word.slice(2)]?.bare : undefined;
		return bare !== undefined && (argv[i + 1] ?? "-").startsWith("-") ? `${word}=${bare}` : word;
	});
}

function optionValue(
	token: { rawName: string; value?: string | undefined; inlineValue?: boolean | undefined },
	spec: OptionSpec,
): string | true {
	if (spec.value === undefined) {
		if (token.value !== undefined) throw badInput(`${token.rawName} takes no value, got "${token.value}".`);
		return true;
	}
	// "--gpus -1" is a wrong number, "--name --wait" a missing value.
	const forgotten = !token.inlineValue && /^-\D/.test(token.value ?? "");
	if (token.value === undefined || forgotten) throw badInput(`${token.rawName} needs a value: ${token.rawName} ${spec.value}.`);
	return token.value;
}

function unknownFlag(given: string, options: Options): string {
	if (!given.startsWith("--")) {
		const shorts = Object.values(options).flatMap((o) => (o.short === undefined ? [] : [`-${o.short}`]));
		return `There is no flag ${given}. Short flags: ${shorts.join(", ")}. See --help for the long ones.`;
	}
	const name = given.slice(2);
	return `There is no flag ${given}. ${suggestName(name, Object.keys(options)).replace(/(Did you mean |Use one of: |, )(?=\w)/g, "$1--")}`;
}
