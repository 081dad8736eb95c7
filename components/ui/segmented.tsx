import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";
import { Link } from "#components/ui/link.tsx";

type Option<Value extends string> = { value: Value; label: ReactNode };

const RAIL = "inline-flex max-w-full overflow-x-auto no-scrollbar rounded-lg bg-sunken p-0.5 ring-1 ring-inset ring-line";
const ITEM = "flex h-6.5 items-center rounded-[6px] px-2.5 text-xs font-medium whitespace-nowrap text-ink-2 hover:text-ink";
const ON = "bg-panel text-ink ring-1 ring-line";

type LinksProps<Value extends string> = {
	label: string;
	value: Value;
	options: readonly (Option<Value> & { href: string })[];
	className?: string;
};

/** A choice stored in the URL. Options are links so that they can be opened, copied and shared. */
export function SegmentedLinks<Value extends string>({ label, value, options, className }: LinksProps<Value>) {
	return (
		<nav aria-label={label} className={cn(RAIL, className)}>
			{options.map((o) => (
				<Link
					key={o.value}
					href={o.href}
					scroll={false}
					replace
					aria-current={o.value === value ? "true" : undefined}
					className={cn(ITEM, o.value === value && ON)}
				>
					{o.label}
				</Link>
			))}
		</nav>
	);
}

type ControlProps<Value extends string> = {
	label: string;
	name: string;
	value: Value;
	options: readonly Option<Value>[];
	onChange: (value: Value) => void;
	className?: string;
};

/** A choice in a form or component: radio buttons, with native arrow keys and labels. */
export function SegmentedControl<Value extends string>({ label, name, value, options, onChange, className }: ControlProps<Value>) {
	return (
		<fieldset className={cn(RAIL, className)}>
			<legend className="sr-only">{label}</legend>
			{options.map((o) => (
				<label
					key={o.value}
					className={cn(
						ITEM,
						"cursor-pointer has-checked:bg-panel has-checked:text-ink has-checked:ring-1 has-checked:ring-line has-focus-visible:outline-2 has-focus-visible:outline-focus",
					)}
				>
					<input
						type="radio"
						name={name}
						value={o.value}
						checked={o.value === value}
						onChange={() => onChange(o.value)}
						className="sr-only"
					/>
					{o.label}
				</label>
			))}
		</fieldset>
	);
}
