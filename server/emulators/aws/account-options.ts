/** A security group of the account. */
export interface AccountGroup {
	/** `sg-…` */
	id: string;
	region: string;
	/** Whether a rule of the group lets its own machines reach each other. */
	letsItselfIn: boolean;
}

/** Machines of a type reserved for the account in a zone. Only launches that name the reservation's id may use them. */
export interface CapacityReservation {
	/** `cr-…` */
	id: string;
	region: string;
	zone: string;
	instanceType: string;
	instances: number;
	/** Whether it is a Capacity Block, a separate market type. */
	isBlock?: boolean;
}
