/** A security group of the account. */
export interface AccountGroup {
	/** `sg-…` */
	id: string;
	region: string;
	/** Whether it has a rule that lets its own machines reach each other. */
	letsItselfIn: boolean;
}

/** Machines of a type that are kept for the account in a zone, for those alone that are launched into them by its id. */
export interface CapacityReservation {
	/** `cr-…` */
	id: string;
	region: string;
	zone: string;
	instanceType: string;
	instances: number;
	/** A Capacity Block: its own market. */
	isBlock?: boolean;
}
