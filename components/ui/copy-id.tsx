"use client";
import { useState } from "react";
import { cn } from "#components/ui/cn.ts";
import { Icon } from "#components/ui/icon.tsx";

type CopyProps = { value: string /** Shown instead of the full value. */; short?: string; className?: string };

/** A monospaced ID; click copies it with a confirmation. */
export function CopyId({ value, short, className }: CopyProps) {
	const [state, setState] = useState<"idle" | "copied" | "failed">("idle");
	const copy = async () => {
		try {
			await navigator.clipboard.writeText(value);
			setState("copied");
		} catch {
			setState("failed");
		}
	};
	const said = state === "copied" ? "Copied" : state === "failed" ? "Could not copy" : "";
	return (
		<button
			type="button"
			onClick={copy}
			onBlur={() => setState("idle")}
			onMouseLeave={() => setState("idle")}
			title={said || `${value} (click to copy)`}
			aria-label={short ? `${short}: copy ${value}` : `Copy ${value}`}
			className={cn(
				"group inline-flex items-center gap-1 rounded-sm font-mono text-xs text-ink-3 [font-variant-ligatures:none] hover:text-ink",
				className,
			)}
		>
			{short ?? value}
			<Icon
				name={state === "copied" ? "check" : "copy"}
				className={cn("size-3", state === "copied" ? "text-ok-ink" : "opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100")}
			/>
			<span role="status" className="sr-only">
				{said}
			</span>
		</button>
	);
}
