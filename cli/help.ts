import { GLOBAL_OPTIONS, type Options } from "./args.ts";
import type { Command } from "./command.ts";
import { EXIT_MEANINGS } from "./exit.ts";

export function overview(commands: readonly Command[]): string {
	const rows: [string, string][] = [
		...commands.map((c): [string, string] => [c.name, c.summary]),
		["version", "print the version"],
		["help [COMMAND]", "show this help, or a command's flags and examples"],
	];
	return `Usage: spillway COMMAND [flags]

Commands:
${columns(rows)}

Global flags:
${optionLines(GLOBAL_OPTIONS)}

A JOB is an id, the beginning of one, or a name (the newest such job).

Exit codes:
${columns(EXIT_MEANINGS.map(([code, meaning]) => [String(code), meaning]))}
`;
}

export function commandHelp(command: Command): string {
	const own = Object.keys(command.options).length === 0 ? "" : `\nFlags:\n${optionLines(command.options)}\n`;
	const details = command.details === undefined ? "" : `\n${command.details}`;
	return `Usage: spillway ${command.name} ${command.usage}

${command.summary.charAt(0).toUpperCase()}${command.summary.slice(1)}.${details}
${own}
Global flags:
${optionLines(GLOBAL_OPTIONS)}

Examples:
${command.examples.map((e) => `  ${e}`).join("\n")}
`;
}

function optionLines(options: Options): string {
	return columns(
		Object.entries(options).map(([name, o]) => [
			`${o.short === undefined ? "    " : `-${o.short}, `}--${name}${o.value === undefined ? "" : ` ${o.value}`}`,
			o.help,
		]),
	);
}

function columns(rows: readonly (readonly [string, string])[]): string {
	const width = Math.max(...rows.map(([left]) => left.length));
	return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n");
}
