/** id, level, sentence, how it is checked, why it does not apply. */
export type Requirement = readonly [id: string, level: string, sentence: string, how: string, note: string];

/** The conformance table in docs/focus.md: sentences by column, with the reason for each that does not apply. */
export function conformanceTable(requirements: readonly Requirement[]): string {
	const byColumn = Map.groupBy(requirements, ([id]) => id.split(" ")[0] ?? "");
	const lines = ["| column | sentences | held by a test | does not apply |", "| --- | ---: | ---: | --- |"];
	for (const [column, own] of byColumn) {
		const skipped = own.filter(([, , , how]) => how === "n/a");
		const reasons = [...Map.groupBy(skipped, ([, , , , note]) => note)].map(
			([note, same]) => `${same.map(([id]) => `${id.split(" ")[1]}`).join(", ")}: ${note}`,
		);
		lines.push(`| ${column} | ${own.length} | ${own.length - skipped.length} | ${reasons.join("<br>")} |`);
	}
	const held = requirements.filter(([, , , how]) => how !== "n/a").length;
	lines.push(`| **all** | ${requirements.length} | ${held} | ${requirements.length - held} |`);
	return lines.join("\n");
}
