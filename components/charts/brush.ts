/** Both ends of a selection on a chart's axis, as the person set them: `anchor` first. */
export interface BrushEnds {
	anchor: number;
	head: number;
}

export interface BrushAxis {
	min: number;
	max: number;
	/** Change per arrow key press. */
	step: number;
	/** The value at the cursor. */
	current: number;
}

/** Effect of a key on a selection. `apply`: the selection becomes the range. `reset`: the range is undone. */
export type BrushKey = { ends: BrushEnds | null; does: "select" | "apply" | "reset" };

/** Shift and an arrow select, Enter applies, Escape discards; without a selection it resets. null: not a key of the brush. */
export function pressBrushKey(ends: BrushEnds | null, key: string, shift: boolean, axis: BrushAxis): BrushKey | null {
	const direction = key === "ArrowLeft" ? -1 : key === "ArrowRight" ? 1 : 0;
	if (shift && direction !== 0) {
		const head = Math.min(axis.max, Math.max(axis.min, axis.current + direction * axis.step));
		return { ends: { anchor: ends?.anchor ?? axis.current, head }, does: "select" };
	}
	if (key === "Enter" && ends) return { ends: null, does: "apply" };
	if (key === "Escape") return { ends: null, does: ends ? "select" : "reset" };
	return null;
}

export const orderedEnds = ({ anchor, head }: BrushEnds): [from: number, to: number] => (anchor <= head ? [anchor, head] : [head, anchor]);
