"use client";
import { useRef, useState } from "react";
import type { YamlEditor, YamlEditorProps } from "./yaml-editor.tsx";

/** A plain field until somebody turns to it; then the editor, which is the heaviest part of the screen, takes its place. */
export function YamlField(props: Omit<YamlEditorProps, "focusAt">) {
	const field = useRef<HTMLTextAreaElement>(null);
	const [editor, setEditor] = useState<{ Editor: typeof YamlEditor; focusAt: number | null } | null>(null);
	if (editor) return <editor.Editor {...props} focusAt={editor.focusAt} />;
	const load = () => {
		import("./yaml-editor.tsx").then(
			({ YamlEditor: Editor }) =>
				setEditor({ Editor, focusAt: document.activeElement === field.current ? (field.current?.selectionStart ?? 0) : null }),
			// The plain field goes on to do, and the next turn to it tries again.
			() => undefined,
		);
	};
	return (
		<textarea
			ref={field}
			aria-label="Job as YAML"
			spellCheck={false}
			value={props.text}
			onChange={(event) => props.onChange(event.currentTarget.value)}
			onFocus={load}
			onPointerEnter={load}
			className="min-h-80 flex-1 resize-none bg-sunken px-4 py-2.5 font-mono text-xs leading-5.5 [font-variant-ligatures:none] focus-visible:-outline-offset-2"
		/>
	);
}
