"use client";
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { type ButtonSize, type ButtonVariant, buttonClass } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { Icon, type IconName } from "#components/ui/icon.tsx";
import { Link } from "#components/ui/link.tsx";
import { type Align, movePopover, type Side } from "#components/ui/popover.ts";

export type MenuEntry =
	| {
			kind: "item";
			id: string;
			label: ReactNode;
			icon?: IconName;
			hint?: ReactNode;
			tone?: "risk";
			disabled?: boolean;
			href?: string;
			onSelect?: () => void;
	  }
	| {
			kind: "check";
			id: string;
			label: ReactNode;
			icon?: IconName;
			checked: boolean /** Exactly one option is selected. */;
			radio?: boolean;
			hint?: ReactNode;
			onSelect: () => void;
	  }
	| { kind: "heading"; id: string; label: ReactNode }
	| { kind: "line"; id: string };

type MenuProps = {
	label: ReactNode;
	entries: readonly MenuEntry[];
	name?: string;
	variant?: ButtonVariant;
	size?: ButtonSize;
	caret?: boolean;
	side?: Side;
	align?: Align;
	triggerClass?: string;
};

/** A button that opens a list of actions in a native popover: top layer, Escape and outside clicks included. */
export function Menu({
	label,
	entries,
	name,
	variant = "default",
	size = "md",
	caret = true,
	side = "bottom",
	align = "start",
	triggerClass,
}: MenuProps) {
	const id = useId();
	const button = useRef<HTMLButtonElement>(null);
	const list = useRef<HTMLDivElement>(null);
	const [open, setOpen] = useState(false);
	const close = () => {
		list.current?.hidePopover();
		button.current?.focus();
	};
	return (
		<>
			<button
				ref={button}
				type="button"
				popoverTarget={id}
				aria-haspopup="menu"
				aria-expanded={open}
				aria-controls={open ? id : undefined}
				aria-label={name}
				onKeyDown={(event) => {
					if (event.key !== "ArrowDown" || open) return;
					event.preventDefault();
					list.current?.showPopover();
				}}
				className={triggerClass ?? buttonClass(variant, size)}
			>
				{label}
				{caret && <Icon name="chevronDown" className="-mr-1 size-3.5 text-ink-3" />}
			</button>
			<div
				ref={list}
				id={id}
				popover="auto"
				role="menu"
				tabIndex={-1}
				aria-label={name ?? (typeof label === "string" ? label : undefined)}
				onBeforeToggle={(event) => {
					// Entries must exist before the menu is placed and focused in the next frame.
					if (event.newState === "open") flushSync(() => setOpen(true));
				}}
				onToggle={(event) => {
					if (event.newState !== "open") return setOpen(false);
					if (!list.current || !button.current) return;
					movePopover(list.current, button.current, side, align);
					list.current.querySelector<HTMLElement>("[role^=menuitem]:not([aria-disabled=true])")?.focus();
				}}
				onKeyDown={moveWithin}
				className="fixed inset-auto m-0 max-h-[80dvh] min-w-44 overflow-y-auto rounded-xl bg-panel p-1 text-ink shadow-pop"
			>
				{open && entries.map((entry) => <MenuRow key={entry.id} entry={entry} onDone={close} />)}
			</div>
		</>
	);
}

/** Arrows, Home and End move; a letter selects the next entry starting with it; Tab leaves. */
function moveWithin(event: KeyboardEvent<HTMLDivElement>) {
	const items = [...event.currentTarget.querySelectorAll<HTMLElement>("[role^=menuitem]:not([aria-disabled=true])")];
	const at = items.indexOf(document.activeElement as HTMLElement);
	const go = (index: number) => {
		event.preventDefault();
		items[(index + items.length) % items.length]?.focus();
	};
	if (event.key === "ArrowDown") go(at + 1);
	else if (event.key === "ArrowUp") go(at < 0 ? items.length - 1 : at - 1);
	else if (event.key === "Home") go(0);
	else if (event.key === "End") go(items.length - 1);
	else if (event.key === "Tab") event.currentTarget.hidePopover();
	else if (event.key.length === 1 && /\S/.test(event.key) && !event.ctrlKey && !event.metaKey) {
		const next = [...items.slice(at + 1), ...items].find((item) =>
			item.textContent?.trim().toLowerCase().startsWith(event.key.toLowerCase()),
		);
		event.stopPropagation();
		next?.focus();
	}
}

function MenuRow({ entry, onDone }: { entry: MenuEntry; onDone: () => void }) {
	if (entry.kind === "line") return <hr className="my-1 border-line" />;
	if (entry.kind === "heading") return <div className="px-2.5 pt-1.5 pb-1 text-2xs font-strong text-ink-3">{entry.label}</div>;
	const row =
		"flex h-8 w-full items-center gap-2.5 rounded-md px-2.5 text-left font-medium whitespace-nowrap outline-none focus:bg-sunken focus-visible:outline-2 focus-visible:-outline-offset-2 hover:bg-sunken aria-disabled:opacity-50";
	if (entry.kind === "check") {
		const pick = () => {
			entry.onSelect();
			if (entry.radio) onDone();
		};
		return (
			// biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles that it can have support aria-checked.
			<button
				type="button"
				role={entry.radio ? "menuitemradio" : "menuitemcheckbox"}
				aria-checked={entry.checked}
				tabIndex={-1}
				onClick={pick}
				className={row}
			>
				{entry.icon && <Icon name={entry.icon} className="text-ink-3" />}
				{entry.label}
				{entry.hint && <span className="tabular ml-auto pl-4 text-xs font-book text-ink-3">{entry.hint}</span>}
				<Icon name="check" className={cn("size-3.5", !entry.hint && "ml-auto", !entry.checked && "invisible")} />
			</button>
		);
	}
	const inside = (
		<>
			{entry.icon && <Icon name={entry.icon} className={entry.tone === "risk" ? "" : "text-ink-3"} />}
			{entry.label}
			{entry.hint && <span className="ml-auto pl-4 text-xs font-book text-ink-3">{entry.hint}</span>}
		</>
	);
	const tone = entry.tone === "risk" && "text-risk-ink";
	const select = () => {
		if (entry.disabled) return;
		onDone();
		entry.onSelect?.();
	};
	return entry.href ? (
		<Link href={entry.href} role="menuitem" tabIndex={-1} onClick={select} className={cn(row, tone)}>
			{inside}
		</Link>
	) : (
		<button
			type="button"
			role="menuitem"
			aria-disabled={entry.disabled || undefined}
			tabIndex={-1}
			onClick={select}
			className={cn(row, tone)}
		>
			{inside}
		</button>
	);
}
