"use client";
import { useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";

/**
 * The job file that `spillway submit -f` takes. The server renders `yaml` so that the page does not load the library.
 */
export function JobFilePanel({ yaml }: { yaml: string }) {
	const [said, setSaid] = useState<"copied" | "failed" | null>(null);
	const copy = async () => {
		try {
			await navigator.clipboard.writeText(yaml);
			setSaid("copied");
		} catch {
			setSaid("failed");
		}
	};
	return (
		<Panel
			title="Job file"
			sub="without defaults"
			actions={
				<>
					<span role="status" className="text-xs">
						{said === "copied" ? "Copied" : said === "failed" ? "Could not copy. Select the text and copy it manually." : ""}
					</span>
					<Button size="sm" icon="copy" onClick={() => void copy()}>
						Copy
					</Button>
				</>
			}
		>
			<section
				// biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
				tabIndex={0}
				aria-label="Job file"
				className="max-h-104 flex-1 overflow-auto border-t bg-sunken px-4 py-3 focus-visible:-outline-offset-2"
			>
				<pre className="font-mono text-xs leading-5">{yaml}</pre>
			</section>
		</Panel>
	);
}
