import type { AnnotationKind } from "#server/domain/annotation.ts";

/** An event on a chart's time axis. */
export type ChartMark = {
	id: string;
	kind: AnnotationKind;
	atMs: number;
	/** Horizontal position, 0 to 1 of the plot. */
	share: number;
	when: string;
	text: string;
};

export type MarkGroup = { share: number; marks: readonly ChartMark[] };

/** Marks that would overlap share one marker, at the first of them. `gap`: least share between two markers. */
export function groupMarks(marks: readonly ChartMark[], gap: number): MarkGroup[] {
	const groups: ChartMark[][] = [];
	for (const mark of marks.toSorted((a, b) => a.share - b.share)) {
		const group = groups.at(-1);
		const first = group?.[0];
		if (group && first && mark.share - first.share < gap) group.push(mark);
		else groups.push([mark]);
	}
	return groups.map((group) => ({ share: group[0]?.share ?? 0, marks: group }));
}

/** The texts of the marks by row of the chart's table. */
export function marksByRow(marks: readonly ChartMark[], rowOf: (mark: ChartMark) => number): ReadonlyMap<number, string> {
	const rows = new Map<number, string>();
	for (const mark of marks) {
		const text = `${mark.text} (${mark.when})`;
		const before = rows.get(rowOf(mark));
		rows.set(rowOf(mark), before ? `${before}; ${text}` : text);
	}
	return rows;
}
