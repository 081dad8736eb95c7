"use client";
import { useRef, useState } from "react";
import { cn } from "#components/ui/cn.ts";
import { CodeLines } from "./code-lines.tsx";
import type { YamlEditor, YamlEditorProps } from "./yaml-editor.tsx";

/** A plain field over colored lines until focused; then the editor, the largest script of the screen, replaces it. */
export function YamlField(props: Omit<YamlEditorProps, "focusAt">) {
	const field = useRef<HTMLTextAreaElement>(null);
	const [editor, setEditor] = useState<{ Editor: typeof YamlEditor; focusAt: number | null } | null>(null);
	if (editor) return <editor.Editor {...props} focusAt={editor.focusAt} />;
	const load = () => {
		import("./yaml-editor.tsx").then(
			({ YamlEditor: Editor }) =>
				setEditor({ Editor, focusAt: document.activeElement === field.current ? (field.current?.selectionStart ?? 0) : null }),
			// Keep the plain field and retry on the next focus.
			() => undefined,
		);
	};
	const same =
		"col-start-1 row-start-1 py-2.5 font-mono text-xs leading-5.5 wrap-anywhere whitespace-pre-wrap [font-variant-ligatures:none]";
	return (
		<div className="grid min-h-80 flex-1 overflow-auto has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-focus">
			<textarea
				ref={field}
				aria-label="Job YAML"
				spellCheck={false}
				value={props.text}
				onChange={(event) => props.onChange(event.currentTarget.value)}
				onFocus={load}
				onPointerEnter={load}
				className={cn(same, "peer min-w-0 resize-none overflow-hidden bg-sunken pr-1.5 pl-12.5 outline-none")}
			/>
			{/** While focused, shows the field's own text with the cursor. */}
			<div aria-hidden className={cn(same, "pointer-events-none min-w-0 bg-sunken peer-focus:invisible")}>
				<CodeLines text={props.text} problems={props.problems} activeLine={props.activeLine} />
			</div>
		</div>
	);
}
