import type { ComponentProps, ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";

/** A section of the printed statement. A heading stays with its content on one page. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
	return (
		<section className="mt-7 break-inside-auto first:mt-0">
			<h3 className="break-after-avoid text-sm font-semibold">{title}</h3>
			{children}
		</section>
	);
}

export function PaperTable({ className, ...rest }: ComponentProps<"table">) {
	return <table {...rest} className={cn("mt-1.5 w-full border-collapse text-xs [&_thead]:[display:table-header-group]", className)} />;
}

export function PTh({ n = false, className, ...rest }: ComponentProps<"th"> & { n?: boolean }) {
	return (
		<th
			scope="col"
			{...rest}
			className={cn(
				"border-b border-b-line-strong py-1.5 pl-3 font-strong text-ink-3 first:pl-0",
				n ? "text-right" : "text-left",
				className,
			)}
		/>
	);
}

/** Prevents page breaks inside a row. */
export function PTr({ strong = false, className, ...rest }: ComponentProps<"tr"> & { strong?: boolean }) {
	return <tr {...rest} className={cn("break-inside-avoid [&>*]:hairline-b", strong && "font-semibold", className)} />;
}

export function PTd({ n = false, className, ...rest }: ComponentProps<"td"> & { n?: boolean }) {
	return <td {...rest} className={cn("py-1.25 pl-3 align-top first:pl-0", n && "num", className)} />;
}

export function Remark({ children }: { children: ReactNode }) {
	return <p className="mt-2 text-xs text-pretty text-ink-3">{children}</p>;
}

/** Text of an empty cell. */
export const None = ({ children = "none" }: { children?: ReactNode }) => <span className="text-ink-3">{children}</span>;
