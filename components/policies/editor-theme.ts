import { HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export const HIGHLIGHT = HighlightStyle.define([
	{ tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
	{ tag: tags.comment, color: "var(--ink-3)" },
	{ tag: [tags.string, tags.content], color: "var(--ink)" },
	{ tag: [tags.punctuation, tags.separator, tags.bracket, tags.squareBracket, tags.brace], color: "var(--ink-2)" },
]);

const tint = (color: string, percent: number) => `color-mix(in oklab, var(--${color}) ${percent}%, transparent)`;

export const THEME = EditorView.theme({
	"&": { backgroundColor: "var(--sunken)", color: "var(--ink)", fontSize: "12px", height: "100%" },
	"&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "-2px" },
	".cm-scroller": { fontFamily: "var(--font-jetbrains-mono), monospace", lineHeight: "22px", fontVariantLigatures: "none" },
	".cm-content": { padding: "10px 0", caretColor: "var(--ink)" },
	".cm-gutters": { backgroundColor: "transparent", color: "var(--ink-3)", border: "0", paddingLeft: "6px" },
	".cm-cursor": { borderLeftColor: "var(--ink)" },
	"&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
		backgroundColor: tint("accent", 26),
	},
	".cm-line.spw-active": { backgroundColor: tint("accent", 7) },
	".cm-line.spw-changed": { boxShadow: "inset 2px 0 var(--accent)" },
	".cm-line.spw-error": { backgroundColor: tint("risk", 9), boxShadow: "inset 2px 0 var(--risk)" },
	".cm-line.spw-warning": { boxShadow: "inset 2px 0 var(--warn)" },
	".spw-problem": {
		display: "flex",
		flexWrap: "wrap",
		alignItems: "center",
		gap: "4px 10px",
		padding: "5px 12px 7px 18px",
		fontFamily: "var(--font-inter), sans-serif",
		lineHeight: "17px",
		color: "var(--ink-2)",
		backgroundColor: tint("risk", 9),
		boxShadow: "inset 2px 0 var(--risk)",
	},
	".spw-problem[data-severity=warning]": { backgroundColor: tint("warn", 8), boxShadow: "inset 2px 0 var(--warn)" },
	".spw-problem b": { color: "var(--risk-ink)", fontWeight: "600" },
	".spw-problem[data-severity=warning] b": { color: "var(--warn-ink)" },
	".spw-problem button": {
		border: "1px solid var(--line-strong)",
		borderRadius: "6px",
		backgroundColor: "var(--panel)",
		padding: "3px 9px",
		minHeight: "24px",
		color: "var(--ink)",
		fontWeight: "550",
	},
	".cm-tooltip": {
		backgroundColor: "var(--panel)",
		color: "var(--ink)",
		border: "1px solid var(--line)",
		borderRadius: "7px",
		overflow: "hidden",
	},
	".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--font-jetbrains-mono), monospace", maxHeight: "16em" },
	".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 10px", lineHeight: "20px" },
	".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--accent-ink)" },
	".cm-completionDetail": { fontStyle: "normal", fontFamily: "var(--font-inter), sans-serif", color: "var(--ink-3)" },
	"li[aria-selected] .cm-completionDetail": { color: "var(--accent-ink)" },
	".cm-completionInfo": { padding: "6px 10px", fontFamily: "var(--font-inter), sans-serif", maxWidth: "280px" },
	".cm-lintRange-error, .cm-lintRange-warning": {
		backgroundImage: "none",
		textDecoration: "underline wavy var(--risk)",
		textDecorationSkipInk: "none",
		textUnderlineOffset: "3px",
	},
	".cm-lintRange-warning": { textDecorationColor: "var(--warn)" },
	".cm-lint-marker": { content: '""', width: "8px", height: "8px", marginTop: "7px" },
	".cm-lint-marker-error": { content: '""', transform: "rotate(45deg)", backgroundColor: "var(--risk)" },
	".cm-lint-marker-warning": { content: '""', borderRadius: "50%", border: "2px solid var(--warn)" },
	".cm-panel.cm-panel-lint": { backgroundColor: "var(--panel)", color: "var(--ink)" },
});
