/** The address of the module, as bundlers export it. */
declare const address: string;
export default address;
